import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { marksIn, readStore, type StoreContents } from '../support/check-store.js';
import { answer, type FakeOpenAI, startFakeOpenAI } from '../support/fake-openai/index.js';
import { textOf } from '../support/fake-openai/wire.js';
import { aFolder } from '../support/folder.js';
import { QUICK_MODEL } from '../support/options.js';
import { patiently } from '../support/patience.js';
import type { Ending } from '../support/program.js';
import { chat } from './terminal.js';

vi.setConfig({ testTimeout: patiently(120_000) });

/** Every question carries `#q<n>`, its answer `#a<n>`, and a summary names exactly the marks that it was given. */
const MARKS = { pattern: /#[qa]\d+/u };
const STRATEGY = '/memory strategy summary-buffer max_messages:4 keep_messages:2';

/**
 * Each process of a life dies at one of these: the steps that leave something else stored, said or asked. A kill right before a
 * commit leaves what the step before it left, which `storage-crash` proves. The numbers let a few turns pass in between.
 */
const LIFE = [
  'session:committed kill 1',
  'setting:before-commit kill 1',
  'append:committed kill 2',
  'turn:before-store kill 2',
  'answer:committed kill 2',
  'turn:delivered kill 2',
  'settle:committed kill 2',
  'fold:after-model kill 1',
  'summary:committed kill 1',
  'summary:before-commit kill 2',
  'summary:committed kill 2',
];

let fake: FakeOpenAI;
beforeEach(async () => {
  fake = await startFakeOpenAI({
    respond(request) {
      const texts = request.messages.map(({ content }) => textOf(content));
      if (texts[0]?.startsWith('You keep the memory of a chat'))
        return answer(`Told: ${marksIn(texts[1] ?? '', MARKS).join(' ')}`);
      return answer(
        `Answer ${marksIn(texts.at(-1) ?? '', MARKS)
          .at(-1)
          ?.replace('q', 'a')}`,
      );
    },
  });
});
afterEach(() => fake.close());

/** One life of a conversation: what was asked so far, and the folder that it is kept in. */
function beginLife(env: Record<string, string> = {}) {
  const folder = aFolder();
  const path = join(folder, 'data/keepsake.db');
  const connected = { OPENAI_BASE_URL: fake.baseUrl, OPENAI_MODEL: QUICK_MODEL, CONTEXT_WINDOW: '4096', ...env };
  const look = (): StoreContents =>
    existsSync(path) ? readStore(path, MARKS) : { messages: [], summaries: [], faults: [] };
  /** Sets the strategy and asks the next questions, those first that were never stored. */
  const live = (questions: number, fault?: string): Promise<Ending> => {
    const asked = questionsIn(look()).length;
    const lines = Array.from({ length: questions }, (_, i) => `Here is #q${asked + i + 1} for you.`);
    return chat([STRATEGY, ...lines], {
      folder,
      env: { ...connected, ...(fault === undefined ? {} : { KEEPSAKE_FAULT: fault }) },
    });
  };
  return { look, live };
}

/** Every mark that is stored, in a message or in the current summary of messages that are gone, in order. */
function allMarks({ messages, summaries }: StoreContents): string[] {
  const through = summaries.at(-1)?.throughSeq ?? 0;
  const live = messages.filter(({ seq }) => seq > through).map(({ text }) => text);
  return marksIn([summaries.at(-1)?.text ?? '', ...live].join('\n'), MARKS);
}

/** The marks of the questions that are known. */
function questionsIn(contents: StoreContents): string[] {
  return allMarks(contents).filter((mark) => mark.startsWith('#q'));
}

/** The marks of a whole conversation of so many turns. */
function marksOf(turns: number): string[] {
  return Array.from({ length: turns }, (_, i) => [`#q${i + 1}`, `#a${i + 1}`])
    .flat()
    .sort();
}

/** What must be true when all turns have ended: everything known once, in the store and in the next prompt. */
async function expectAllKnown({ look, live }: ReturnType<typeof beginLife>): Promise<void> {
  expect((await live(3)).code).toBe(0);
  const turns = questionsIn(look()).length;
  expect(allMarks(look())).toEqual(marksOf(turns));
  expect((await live(1)).code).toBe(0);
  const prompts = fake.chats().map(({ messages }) => messages.map(({ content }) => textOf(content)).join('\n'));
  const last = prompts.filter((prompt) => !prompt.startsWith('You keep the memory')).at(-1) ?? '';
  expect(marksIn(last, MARKS)).toEqual([...marksOf(turns), `#q${turns + 1}`].sort());
  expect(look().faults).toEqual([]);
}

it('killed wherever turn and fold leave something new, a chat loses and repeats nothing', async () => {
  const life = beginLife();
  for (const fault of LIFE) {
    const { signal, errors } = await life.live(8, fault);
    expect([fault, signal, errors]).toEqual([fault, 'SIGKILL', '']);
    const contents = life.look();
    expect([fault, contents.faults]).toEqual([fault, []]);
    const questions = questionsIn(contents);
    expect(new Set(questions).size).toBe(questions.length);
  }
  await expectAllKnown(life);
});

it('killed while covered messages go at once, a chat knows all of them from one place', async () => {
  const life = beginLife({ RETENTION_DAYS: '0' });
  for (const fault of ['summary:before-commit kill 2', 'summary:committed kill 2']) {
    const { signal } = await life.live(8, fault);
    expect([fault, signal, life.look().faults]).toEqual([fault, 'SIGKILL', []]);
  }
  await expectAllKnown(life);
});
