import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeOpenAI, questionOf, type Script, startFakeOpenAI } from '../../test/support/fake-openai/index.js';
import type { ChatRequest, Step } from '../../test/support/fake-openai/wire.js';
import { SUMMARY } from '../support/models.js';

/** How fast the model talks: milliseconds to its first word and between words, and how many words an answer has. */
export type Speech = { firstMs: number; everyMs: number; words: number };

/** A call for an answer: when it arrived and when its first word was sent, by this process's clock. */
export type Call = { arrivedAt: number; firstWordAt: number };

/** A model that answers every question with its mark, and counts what it is asked. */
export type Endpoint = {
  openai: FakeOpenAI;
  /** The last call for each question, by the question's mark. */
  calls: Map<string, Call>;
  /** Summaries asked for so far, and how many were in the making at once at most. */
  summaries: { asked: number; running: number; most: number };
  /** Changes how fast it talks. */
  speech: Speech;
  /** How long a summary takes, in milliseconds. */
  summaryMs: number;
  /** Decides what goes wrong with a call; null lets it be answered. */
  trouble: ((request: ChatRequest) => Script | null) | null;
};

/** What the bot is told that the summariser's model is called. */
export const SUMMARY_MODEL = 'fake-summary';

/** The mark of what is said, which names its place and is its own, so that it can be told in whatever holds it. */
export function markOf(place: number, number: number): string {
  return `k${place}n${number}q`;
}

/** How the answer to a question with this mark begins. */
export function answerMark(mark: string): string {
  return `Reply ${mark.replace(/q$/u, 'r')} `;
}

/** Starts the model. */
export async function startEndpoint(speech: Speech): Promise<Endpoint> {
  const calls: Endpoint['calls'] = new Map();
  const summaries = { asked: 0, running: 0, most: 0 };
  const openai = await startFakeOpenAI({
    respond: (request) => {
      const trouble = endpoint.trouble?.(request) ?? null;
      if (trouble !== null) return trouble;
      return request.model === SUMMARY_MODEL ? summarise(endpoint) : reply(endpoint, request);
    },
  });
  const endpoint: Endpoint = { openai, calls, summaries, speech, summaryMs: 200, trouble: null };
  return endpoint;
}

function reply({ calls, speech }: Endpoint, request: ChatRequest): Script {
  const mark =
    questionOf(request)
      .match(/k\d+n\d+q/gu)
      ?.at(-1) ?? 'none';
  const call: Call = { arrivedAt: performance.now(), firstWordAt: Number.NaN };
  calls.set(mark, call);
  const wait = (ms: number) => ({ wait: sleep(ms, undefined, { ref: false }) });
  const first = sleep(speech.firstMs).then(() => {
    call.firstWordAt = performance.now();
  });
  const steps: Step[] = [{ wait: first }, answerMark(mark)];
  for (let word = 1; word < speech.words; word += 1) {
    if (speech.everyMs > 0) steps.push(wait(speech.firstMs + word * speech.everyMs));
    steps.push(`word${word} `);
  }
  const usage = { prompt_tokens: 100, completion_tokens: speech.words, total_tokens: 100 + speech.words };
  return { steps: [...steps, { finish: 'stop' }, { usage }] };
}

function summarise({ summaries, summaryMs }: Endpoint): Script {
  summaries.asked += 1;
  summaries.running += 1;
  summaries.most = Math.max(summaries.most, summaries.running);
  const done = sleep(summaryMs).then(() => {
    summaries.running -= 1;
  });
  const usage = { prompt_tokens: 2_000, completion_tokens: 300, total_tokens: 2_300 };
  return { steps: [{ wait: done }, SUMMARY, { finish: 'stop' }, { usage }] };
}
