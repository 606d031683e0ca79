import type { Strategy } from '#dist/conversation/settings.js';
import { createTokenCounter } from '#dist/llm/token-counter.js';
import { converse, type Sent } from '../contenders/conversation.js';
import { rememberingCounter } from '../support/remembering-counter.js';
import { markdown, whole } from '../support/report.js';
import { STRATEGIES } from '../support/strategies.js';

const TURNS = 500;

/** A buffer that its ceiling never stops. */
const UNBOUNDED: Strategy = { name: 'buffer', maxTokens: 1_000_000 };

/** Counts what a conversation of 1,000 messages sends to the model, by strategy, exactly and with the summariser's calls. */
export async function tokens(): Promise<string> {
  const counter = rememberingCounter(createTokenCounter());
  try {
    const all = await converse(UNBOUNDED, TURNS, counter);
    const rows = [row('buffer without a ceiling', all, all)];
    for (const strategy of STRATEGIES) rows.push(row(strategy.name, await converse(strategy, TURNS, counter), all));
    return table(rows);
  } finally {
    await counter.close();
  }
}

function row(name: string, sent: Sent, all: Sent): string[] {
  const share = (100 * total(sent)) / total(all);
  const cells = [sent.prompts, sent.summaryIn, sent.summaryOut, sent.folds, total(sent)].map(whole);
  return [name, ...cells, `${share.toFixed(1)} %`];
}

function total({ prompts, summaryIn, summaryOut }: Sent): number {
  return prompts + summaryIn + summaryOut;
}

function table(rows: string[][]): string {
  return markdown({
    title: `Tokens of a conversation of ${whole(2 * TURNS)} messages`,
    about:
      'What goes over the wire, counted with o200k_base and 4 tokens a message, the summariser’s calls and answers included, ' +
      'the chat’s own answers (equal for all) left out. Questions have 35 tokens and answers 163 on average; a summary has ' +
      'some 340. Aim: `summary-buffer` below a tenth of a buffer without a ceiling.',
    head: ['', 'prompts', 'summariser in', 'out', 'folds', 'all', 'of the unbounded buffer'],
    rows,
  });
}
