import { Chatbot } from '#dist/chatbot/chatbot.js';
import { MESSAGE_OVERHEAD } from '#dist/conversation/message.js';
import { NO_METER } from '#dist/conversation/meter.js';
import type { Prompt, TokenCounter } from '#dist/conversation/model.js';
import { terminalSession } from '#dist/conversation/session.js';
import type { Strategy } from '#dist/conversation/settings.js';
import { createLogger } from '#dist/logger.js';
import { openStore } from '#dist/storage/open.js';
import { instantModel, summaryText } from '../support/models.js';
import { OPTIONS } from '../support/options.js';
import { platformId } from '../support/seed.js';
import { createTalk } from '../support/talk.js';

/** What a conversation sent to the models, in tokens, and how often the summariser was called. */
export type Sent = { prompts: number; summaryIn: number; summaryOut: number; folds: number };

/** Holds a conversation of so many turns under a strategy, each fold done before the next question, and counts what was sent. */
export async function converse(strategy: Strategy, turns: number, counter: TokenCounter): Promise<Sent> {
  const asked: Prompt[] = [];
  const folded: { prompt: Prompt; summary: string }[] = [];
  const talk = createTalk(42);
  const answerer = instantModel('instant', (prompt) => {
    asked.push(prompt);
    return talk.answer();
  });
  const summariser = instantModel('summariser', (prompt) => {
    const summary = summaryText(folded.length);
    folded.push({ prompt, summary });
    return summary;
  });
  const store = await openStore(':memory:');
  const bot = new Chatbot({
    store,
    counter,
    modelNamed: () => answerer,
    summaryModel: summariser,
    clock: Date.now,
    logger: createLogger('silent'),
    meter: NO_METER,
    options: OPTIONS,
  });
  const session = terminalSession('bench');
  await bot.set(session.id, 'strategy', strategy);
  const sent: Sent = { prompts: 0, summaryIn: 0, summaryOut: 0, folds: 0 };
  for (let turn = 1; turn <= turns; turn += 1) {
    await bot.receive({
      session,
      platformId: platformId(turn),
      authorId: 'ada',
      authorName: 'Ada',
      text: talk.question(),
      quote: null,
      createdAt: Date.now(),
      addressed: true,
    });
    const outcome = await bot.answer(session, async (pieces) => {
      for await (const _ of pieces);
    });
    if (outcome.kind !== 'answered') throw new Error(`a turn under ${strategy.name} ended as ${outcome.kind}`);
    await bot.folded(60_000);
    for (const prompt of asked.splice(0)) sent.prompts += await onTheWire(prompt, counter);
  }
  for (const { prompt, summary } of folded) {
    sent.summaryIn += await onTheWire(prompt, counter);
    sent.summaryOut += (await counter.count([summary], 'o200k_base'))[0] ?? 0;
  }
  await bot.close(60_000);
  await store.close();
  return { ...sent, folds: folded.length };
}

/** Tokens of a prompt as an endpoint would count them. */
async function onTheWire({ system, messages }: Prompt, counter: TokenCounter): Promise<number> {
  const texts = [system, ...messages.map(({ content }) => content)];
  const counts = await counter.count(texts, 'o200k_base');
  return counts.reduce((sum, count) => sum + count + MESSAGE_OVERHEAD, 0);
}
