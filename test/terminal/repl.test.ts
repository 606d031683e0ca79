import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/conversation/clock.js';
import { ModelError } from '../../src/conversation/errors.js';
import { createOfflineModel } from '../../src/llm/offline-model.js';
import { openStore } from '../../src/storage/open.js';
import { chat } from '../../src/terminal/repl.js';
import { en } from '../../src/words/en.js';
import { aDatabase } from '../storage/files.js';
import { openChatbot, type TestChatbot } from '../support/chatbot.js';
import { scriptedModel } from '../support/scripted-model.js';

/** The model that answers when none is connected. */
const offline = () => ({ ...createOfflineModel(), asked: [] });

let world: TestChatbot;
afterEach(() => world.close());

/** A chat over streams: what is typed goes in, what is shown comes out. */
function openTerminal(interactive: boolean) {
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = '';
  output.on('data', (piece) => {
    shown += piece;
  });
  const over = chat(
    world.chatbot,
    { input, output, interactive },
    { session: 'test', author: 'Ada', words: en, clock: () => world.time.now },
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
  const terminal = openTerminal(false);
  terminal.input.end(lines.map((line) => `${line}\n`).join(''));
  await terminal.over;
  return terminal.shown().split('\n').slice(0, -1);
}

describe('a chat in a terminal', () => {
  it('prompts by name; Ctrl-C stops an answer, and quits while nothing runs', async () => {
    world = await openChatbot({
      model: scriptedModel((_, call) => {
        const stopped = () => new ModelError('cancelled', 'The answer was stopped.');
        return new Promise((resolve) => call.signal?.addEventListener('abort', () => resolve(stopped())));
      }),
    });
    const terminal = openTerminal(true);
    await terminal.sees(/Ada> /u);
    terminal.input.write('Tell me a story.\n');
    while (world.model.asked.length === 0) await new Promise(setImmediate);
    terminal.input.write('\u0003');
    await terminal.sees(/\(stopped\).*Ada> /su);
    terminal.input.write('\u0003');
    await terminal.over;
    expect((await world.deps.store.loadHistory('terminal:test', { summary: false })).messages).toMatchObject([
      { text: 'Tell me a story.', state: 'failed' },
    ]);
  });

  it('lets an empty line pass without a word', async () => {
    world = await openChatbot();
    const terminal = openTerminal(true);
    terminal.input.end('\n\n/quit\n');
    await terminal.over;
    expect(world.model.asked).toEqual([]);
    expect(terminal.shown()).not.toContain('nothing to answer');
  });

  it.each([
    ['exit', '/quit'],
    ['Quit', '/quit'],
    ['help', '/help'],
  ])('asks a person who types %s whether %s was meant, and stores nothing', async (line, command) => {
    world = await openChatbot();
    const terminal = openTerminal(true);
    terminal.input.end(`${line}\n/QUIT\nnever read\n`);
    await terminal.over;
    expect(terminal.shown()).toContain(en.meantCommand(command));
    expect([world.model.asked, await world.deps.store.findSession('terminal:test')]).toEqual([[], null]);
  });

  it('takes the same word from a pipe as a question', async () => {
    world = await openChatbot({ model: scriptedModel(() => 'yes') });
    expect(await converse('exit')).toEqual(['keepsake> yes']);
  });

  it('shows no control characters that a mistyped command holds', async () => {
    world = await openChatbot();
    expect(await converse('/\u001b[2J')).toEqual(['There is no command /\uFFFD[2j; type /help for the list.']);
  });

  it('takes its lines in order when they come from a pipe, and shows neither prompt nor colour', async () => {
    world = await openChatbot({ model: scriptedModel((prompt) => `you said "${prompt.messages.at(-1)?.content}"`) });
    const lines = Array.from({ length: 300 }, (_, i) => `line ${i}`);
    expect(await converse(...lines)).toEqual(lines.map((line) => `keepsake> you said "Ada: ${line}"`));
  });
});

describe('a full disk', () => {
  it('is reported for each lost question, and what was stored is known once space is free', async () => {
    const url = await aDatabase();
    const models = { model: offline(), summarizer: offline() };
    world = await openChatbot({ ...models, deps: { store: await openStore(url, { maxPages: 90 }) } });
    const large = `This is long: ${'x'.repeat(40_000)}`;
    const shown = await converse('My boat is called Mimi.', ...Array(8).fill(large));
    expect(shown).toContain('The disk is full; free some space, then try again.');
    const answered = shown.filter((line) => line.startsWith('keepsake> ')).length;
    await world.close();

    world = await openChatbot({ ...models, url });
    await converse();
    await world.chatbot.resume();
    await world.chatbot.folded(10_000);
    expect((await converse('What is my boat called?')).at(-1)).toBe('> Ada: My boat is called Mimi. (summary)');
    const { messages } = await world.deps.store.loadHistory('terminal:test', { summary: false });
    const questions = messages.filter(({ role }) => role === 'user').map(({ text }) => text);
    expect(questions.length).toBeGreaterThan(answered);
    expect(new Set(questions)).toEqual(new Set(['My boat is called Mimi.', large, 'What is my boat called?']));
  });
});

describe('coming back a week later', () => {
  const SMALL = '/memory strategy summary-buffer max_messages:4 keep_messages:2';
  const talk = ['My boat is called Mimi.', 'The sun is out.', 'The sea is calm.', 'The ferry was late.'];

  it('finds the summary that stands for messages which retention has deleted', async () => {
    world = await openChatbot({
      model: offline(),
      summarizer: offline(),
      options: { retentionDays: 5 },
    });
    await converse(SMALL, ...talk, '/memory summarize');
    const before = (await world.deps.store.sessionFacts('terminal:test')).messages;
    world.time.now += 7 * DAY_MS;
    const swept = await world.chatbot.sweep();
    const shown = await converse('What is my boat called?', '/memory show');
    expect([before, swept]).toEqual([8, 6]);
    expect(shown[1]).toBe('> Ada: My boat is called Mimi. (summary)');
    expect(shown.join('\n')).toMatch(/stored {4}4 messages/u);
    expect(shown.join('\n')).toMatch(/covers 2026-01-01 00:00 to 2026-01-01 00:00 UTC/u);
  });

  it('loses nothing within the retention: a window reaches back to covered messages', async () => {
    world = await openChatbot({ model: offline(), summarizer: offline() });
    await converse(SMALL, ...talk, '/memory summarize');
    world.time.now += 7 * DAY_MS;
    expect(await world.chatbot.sweep()).toBe(0);
    const shown = await converse('/memory strategy window k:50', 'What is my boat called?');
    expect(shown.at(-1)).toBe('> Ada: My boat is called Mimi. (message)');
  });
});
