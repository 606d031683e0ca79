import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/conversation/clock.js';
import { ModelError } from '../../src/conversation/errors.js';
import { createOfflineModel } from '../../src/llm/offline.js';
import { openStore } from '../../src/storage/open.js';
import { chat } from '../../src/terminal/repl.js';
import { en } from '../../src/words/en.js';
import { type Bench, putOnBench } from '../chatbot/bench.js';
import { aDatabase } from '../storage/files.js';
import { scriptedModel } from '../support/scripted-model.js';

/** The model that answers when none is connected. */
const offline = () => ({ ...createOfflineModel(), asked: [] });

let bench: Bench;
afterEach(() => bench.close());

/** A chat over streams: what is typed goes in, what is shown comes out. */
function sitDown(interactive: boolean) {
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = '';
  output.on('data', (piece) => {
    shown += piece;
  });
  const over = chat(
    bench.bot,
    { input, output, interactive },
    { session: 'bench', author: 'Ada', words: en, clock: () => bench.time.now },
  );
  const sees = (text: RegExp) =>
    new Promise<void>((resolve) => {
      const look = () => text.test(shown) && resolve();
      output.on('data', look);
      look();
    });
  return { input, output, over, sees, shown: () => shown };
}

/** Types all lines into a chat that is no terminal, and gives what was shown when it has ended. */
async function converse(...lines: string[]): Promise<string[]> {
  const desk = sitDown(false);
  desk.input.end(lines.map((line) => `${line}\n`).join(''));
  await desk.over;
  return desk.shown().split('\n').slice(0, -1);
}

describe('a chat in a terminal', () => {
  it('prompts by name; Ctrl-C stops an answer, and quits while nothing runs', async () => {
    bench = await putOnBench({
      model: scriptedModel((_, call) => {
        const stopped = () => new ModelError('cancelled', 'The answer was stopped.');
        return new Promise((resolve) => call.signal?.addEventListener('abort', () => resolve(stopped())));
      }),
    });
    const desk = sitDown(true);
    await desk.sees(/Ada> /u);
    desk.input.write('Tell me a story.\n');
    while (bench.model.asked.length === 0) await new Promise(setImmediate);
    desk.input.write('\u0003');
    await desk.sees(/\(stopped\).*Ada> /su);
    desk.input.write('\u0003');
    await desk.over;
    expect((await bench.parts.store.loadHistory('terminal:bench', { summary: false })).messages).toMatchObject([
      { text: 'Tell me a story.', state: 'failed' },
    ]);
  });

  it('lets an empty line pass without a word', async () => {
    bench = await putOnBench();
    const desk = sitDown(true);
    desk.input.end('\n\n/quit\n');
    await desk.over;
    expect(bench.model.asked).toEqual([]);
    expect(desk.shown()).not.toContain('nothing to answer');
  });

  it.each([
    ['exit', '/quit'],
    ['Quit', '/quit'],
    ['help', '/help'],
  ])('asks a person who types %s whether %s was meant, and stores nothing', async (line, command) => {
    bench = await putOnBench();
    const desk = sitDown(true);
    desk.input.end(`${line}\n/QUIT\nnever read\n`);
    await desk.over;
    expect(desk.shown()).toContain(en.meantCommand(command));
    expect([bench.model.asked, await bench.parts.store.findSession('terminal:bench')]).toEqual([[], null]);
  });

  it('takes the same word from a pipe as a question', async () => {
    bench = await putOnBench({ model: scriptedModel(() => 'yes') });
    expect(await converse('exit')).toEqual(['keepsake> yes']);
  });

  it('shows no control characters that a mistyped command holds', async () => {
    bench = await putOnBench();
    expect(await converse('/\u001b[2J')).toEqual(['There is no command /\uFFFD[2j; type /help for the list.']);
  });

  it('takes its lines in order when they come from a pipe, and shows neither prompt nor colour', async () => {
    bench = await putOnBench({ model: scriptedModel((prompt) => `you said "${prompt.messages.at(-1)?.content}"`) });
    const lines = Array.from({ length: 300 }, (_, i) => `line ${i}`);
    expect(await converse(...lines)).toEqual(lines.map((line) => `keepsake> you said "Ada: ${line}"`));
  });
});

describe('a full disk', () => {
  it('is reported for each lost question, and what was stored is known once space is free', async () => {
    const url = await aDatabase();
    const models = { model: offline(), summarizer: offline() };
    bench = await putOnBench({ ...models, store: await openStore(url, { maxPages: 90 }) });
    const large = `This is long: ${'x'.repeat(40_000)}`;
    const shown = await converse('My boat is called Mimi.', ...Array(8).fill(large));
    expect(shown).toContain('The disk is full; free some space, then try again.');
    const answered = shown.filter((line) => line.startsWith('keepsake> ')).length;
    await bench.close();

    bench = await putOnBench({ ...models, url });
    await converse();
    await bench.bot.resume();
    await bench.bot.folded(10_000);
    expect((await converse('What is my boat called?')).at(-1)).toBe('> Ada: My boat is called Mimi. (summary)');
    const { messages } = await bench.parts.store.loadHistory('terminal:bench', { summary: false });
    const questions = messages.filter(({ role }) => role === 'user').map(({ text }) => text);
    expect(questions.length).toBeGreaterThan(answered);
    expect(new Set(questions)).toEqual(new Set(['My boat is called Mimi.', large, 'What is my boat called?']));
  });
});

describe('coming back a week later', () => {
  const SMALL = '/memory strategy summary-buffer max_messages:4 keep_messages:2';
  const talk = ['My boat is called Mimi.', 'The sun is out.', 'The sea is calm.', 'The ferry was late.'];

  it('finds the summary that stands for messages which retention has deleted', async () => {
    bench = await putOnBench({
      model: offline(),
      summarizer: offline(),
      options: { retentionDays: 5 },
    });
    await converse(SMALL, ...talk, '/memory summarize');
    const before = (await bench.parts.store.sessionFacts('terminal:bench')).messages;
    bench.time.now += 7 * DAY_MS;
    const swept = await bench.bot.sweep();
    const shown = await converse('What is my boat called?', '/memory show');
    expect([before, swept]).toEqual([8, 6]);
    expect(shown[1]).toBe('> Ada: My boat is called Mimi. (summary)');
    expect(shown.join('\n')).toMatch(/stored {4}4 messages/u);
    expect(shown.join('\n')).toMatch(/covers 2026-01-01 00:00 to 2026-01-01 00:00 UTC/u);
  });

  it('loses nothing within the retention: a window reaches back to covered messages', async () => {
    bench = await putOnBench({ model: offline(), summarizer: offline() });
    await converse(SMALL, ...talk, '/memory summarize');
    bench.time.now += 7 * DAY_MS;
    expect(await bench.bot.sweep()).toBe(0);
    const shown = await converse('/memory strategy window k:50', 'What is my boat called?');
    expect(shown.at(-1)).toBe('> Ada: My boat is called Mimi. (message)');
  });
});
