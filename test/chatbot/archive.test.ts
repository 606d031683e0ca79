import { describe, expect, it, onTestFinished } from 'vitest';
import { archiveLine, archiveMarkdown } from '../../src/conversation/archive.js';
import { CommandError } from '../../src/conversation/errors.js';
import { type Session, terminalSession } from '../../src/conversation/session.js';
import { openChatbot } from '../support/chatbot.js';

const LABELS = {
  title: (session: string) => `Memory of ${session}`,
  exported: (time: string, strategy: string) => `${time}, ${strategy}`,
  summary: (from: string, through: string) => `From ${from} to ${through}`,
  bot: 'Keepsake',
};

async function openWorld() {
  const world = await openChatbot();
  onTestFinished(() => world.close());
  return world;
}

async function linesOf(
  world: Awaited<ReturnType<typeof openWorld>>,
  session: Session = world.session,
): Promise<string[]> {
  const lines: string[] = [];
  for await (const row of world.chatbot.archives.export(session)) lines.push(archiveLine(row));
  return lines;
}

/** What the next request of a session would carry. */
async function promptOf(world: Awaited<ReturnType<typeof openWorld>>, session: Session) {
  await world.chatbot.receive({
    session,
    platformId: 'probe',
    authorId: 'ada',
    authorName: 'Ada',
    text: 'and now?',
    quote: null,
    createdAt: world.time.now,
    addressed: true,
  });
  await world.chatbot.answer(session, async (pieces) => {
    for await (const _ of pieces);
  });
  return world.model.asked.at(-1)?.prompt;
}

const HEADER = {
  keepsake: 1,
  session: 'terminal:x',
  exportedAt: '2026-01-01T00:00:00.000Z',
  strategy: { name: 'buffer', maxTokens: 1_000 },
};
const MESSAGE = {
  type: 'message',
  role: 'user',
  id: '1',
  author: { id: 'ada', name: 'Ada' },
  time: '2025-01-01T00:00:00.000Z',
  state: 'answered',
  text: 'hello',
};
const SUMMARY = {
  type: 'summary',
  covers: 1,
  beyond: false,
  from: '2025-01-01T00:00:00.000Z',
  through: '2025-01-01T00:00:00.000Z',
  model: 'm',
  createdAt: '2025-01-01T00:00:00.000Z',
  text: 'They said hello.',
};
const file = (...rows: unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n');

describe('an exported memory', () => {
  it('goes on in another session of another host as if nothing had happened', async () => {
    const world = await openWorld();
    await world.chatbot.setStrategy(world.session, 'server:terminal', 'summary-buffer', {
      max_messages: 6,
      keep_messages: 2,
    });
    for (let i = 0; i < 5; i += 1)
      await world.say(`say ${i}`, {
        quote: i === 4 ? { platformId: 'm1', authorId: 'ada', authorName: 'Ada', text: 'say 0' } : null,
      });
    await world.chatbot.folded(5_000);
    const lines = await linesOf(world);
    const other = await openWorld();
    const target = terminalSession('target');
    await other.chatbot.setStrategy(target, 'server:terminal', 'summary-buffer', { max_messages: 6, keep_messages: 2 });
    const receipt = await other.chatbot.archives.import(target, lines.join(''));
    expect(receipt).toMatchObject({
      messages: 10,
      summaries: 1,
      leftOut: 0,
      strategyText: 'summary-buffer max_messages:6 keep_messages:2 max_summary_tokens:400',
    });
    const [before, after] = [await promptOf(world, world.session), await promptOf(other, target)];
    expect(after).toEqual(before);
    expect(before?.system).toContain('summary');
  });

  it('comes out the same when it is exported again', async () => {
    const world = await openWorld();
    await world.say('hello\nwith "two" lines 🙂');
    const lines = await linesOf(world);
    const other = await openWorld();
    await other.chatbot.archives.import(world.session, lines.join('\n\n'));
    expect((await linesOf(other)).slice(1)).toEqual(lines.slice(1));
  });

  it('reads well as Markdown, where nothing that was said can pose as a heading', async () => {
    const world = await openWorld();
    await world.say('hello\n# not a heading', { authorName: 'A*d_a' });
    let page = '';
    for await (const row of world.chatbot.archives.export(world.session)) page += archiveMarkdown(row, LABELS);
    expect(page.split('\n')).toEqual([
      '# Memory of terminal:test',
      '',
      '2026-01-01 00:00 UTC, summary-buffer',
      '',
      '**A\\*d\\_a** · 2026-01-01 00:00 UTC',
      '',
      '> hello',
      '> # not a heading',
      '',
      '**Keepsake** · 2026-01-01 00:00 UTC',
      '',
      '> answer 1',
      '',
    ]);
  });
});

describe('the ids of an imported memory', () => {
  const [home, elsewhere, third] = ['home', 'elsewhere', 'third'].map((name) => terminalSession(name));
  const quote = { id: '0', author: { id: 'ada', name: 'Ada' }, text: 'before' };
  const said = [
    { ...MESSAGE, quote },
    { ...MESSAGE, role: 'assistant', text: 'hi' },
  ];

  /** Moves a memory from one session to the next, each on a host of its own; the rows as they come out at the end. */
  async function moved(...path: (Session | undefined)[]): Promise<(typeof MESSAGE & { quote?: typeof quote })[]> {
    let content = file({ ...HEADER, session: home?.id }, ...said);
    for (const session of path) {
      const world = await openWorld();
      if (session === undefined) throw new Error('no such session');
      await world.chatbot.archives.import(session, content);
      content = (await linesOf(world, session)).join('');
    }
    return content
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line));
  }

  it('stay in its own session, so that later edits and deletions reach them', async () => {
    expect(await moved(home, home)).toEqual(said);
  });

  it('are none of the platform in another session: those of question, answer and quote alike', async () => {
    const [question, answer] = await moved(elsewhere);
    expect(question?.id).not.toMatch(/^\d+$/u);
    expect([answer?.id, question?.quote?.id]).toEqual([question?.id, question?.id.replace(/1$/u, '0')]);
  });

  it('are marked once, however often they are moved on, and are the old ones back home', async () => {
    const once = await moved(elsewhere);
    expect(await moved(elsewhere, elsewhere, third)).toEqual(once);
    expect(await moved(elsewhere, third, home)).toEqual(said);
  });
});

describe('an import', () => {
  it('of what only summaries hold goes on where they end, in its own session', async () => {
    const world = await openWorld();
    const { chatbot, deps, session } = world;
    await chatbot.archives.import(
      session,
      file({ ...HEADER, session: session.id }, { ...SUMMARY, covers: 0, beyond: true }),
    );
    expect(await deps.store.missedSince(session.id)).toBe(Date.parse(SUMMARY.through) + 1);
  });

  it('never overwrites: it is refused where anything is remembered', async () => {
    const world = await openWorld();
    await world.say('here already');
    const before = await linesOf(world);
    expect(await world.chatbot.archives.import(world.session, file(HEADER, MESSAGE))).toBeNull();
    expect(await linesOf(world)).toEqual(before);
  });

  it('leaves out who has opted out here, their answers, quotes of them, and summaries over them', async () => {
    const world = await openWorld();
    await world.chatbot.people.setOptOut('server:terminal', 'eve', true, 1);
    const eve = { id: 'eve', name: 'Eve' };
    const content = file(
      HEADER,
      MESSAGE,
      { ...MESSAGE, role: 'assistant', text: 'hi' },
      { ...MESSAGE, id: '2', author: eve, text: 'secret' },
      { ...MESSAGE, id: '2', role: 'assistant', text: 'about the secret' },
      { ...MESSAGE, id: '3', quote: { id: '2', author: eve, text: 'secret' } },
      SUMMARY,
      { ...SUMMARY, covers: 4, text: 'Eve told a secret.' },
    );
    const receipt = await world.chatbot.archives.import(world.session, content);
    expect(receipt).toMatchObject({ messages: 3, summaries: 1, leftOut: 2 });
    expect((await linesOf(world)).join('')).not.toMatch(/secret/u);
  });

  it('cuts a summary to the session’s cap, and counts it again', async () => {
    const world = await openWorld();
    await world.chatbot.archives.import(
      world.session,
      file(HEADER, MESSAGE, { ...SUMMARY, text: 'They spoke. '.repeat(500) }),
    );
    const { summaries } = await world.deps.store.sessionFacts(world.session.id);
    expect(summaries[0]?.tokens).toBeLessThanOrEqual(400);
    expect(summaries[0]?.tokens).toBeGreaterThan(300);
  });

  it.each<[string, string, RegExp]>([
    ['is empty', '\n \n', /it is empty/u],
    ['is no archive', 'hello', /line 1: is no JSON/u],
    ['is of another version', file({ ...HEADER, keepsake: 2 }), /line 1: keepsake: must be 1/u],
    ['has a broken line', `${file(HEADER, MESSAGE)}\n{"type":`, /line 3: is no JSON/u],
    ['has a row of another kind', file(HEADER, { type: 'setting' }), /line 2: type: type must be message or summary/u],
    [
      'begins with a system message',
      file(HEADER, { ...MESSAGE, role: 'system' }),
      /line 2: role: must be user or assistant; a system message belongs into the persona/u,
    ],
    [
      'has a waiting question',
      file(HEADER, { ...MESSAGE, state: 'pending' }),
      /line 2: state: must be heard, answered or failed/u,
    ],
    [
      'has an answer that failed',
      file(HEADER, { ...MESSAGE, role: 'assistant', state: 'failed' }),
      /line 2: state: must be answered/u,
    ],
    ['has a message twice', file(HEADER, MESSAGE, MESSAGE), /line 3: id: stands in the file twice/u],
    [
      'has a message of the future',
      file(HEADER, { ...MESSAGE, time: '2999-01-01T00:00:00.000Z' }),
      /line 2: time: lies in the future/u,
    ],
    ['has a field that is not known', file(HEADER, { ...MESSAGE, extra: 1 }), /line 2: Unrecognized key: "extra"/u],
    ['has a text that is none', file(HEADER, MESSAGE, { ...MESSAGE, id: '2', text: 5 }), /line 3: text: /u],
    [
      'has a summary of more than it holds',
      file(HEADER, MESSAGE, { ...SUMMARY, covers: 2 }),
      /covers 2 messages, but the file has 1/u,
    ],
    ['is too large', file(HEADER, { ...MESSAGE, text: 'x'.repeat(5_000_000) }), /more than 5,000,000 bytes/u],
    ['has too many rows', file(HEADER, ...Array.from({ length: 10_001 }, () => 1)), /more than 10,000 rows/u],
  ])('of a file that %s is refused in one sentence, and nothing is stored', async (_, content, sentence) => {
    const world = await openWorld();
    const refused = await world.chatbot.archives.import(world.session, content).catch((error) => error);
    expect(refused).toBeInstanceOf(CommandError);
    expect(refused.message).toMatch(sentence);
    expect(refused.message.split('\n').length).toBe(1);
    expect(await linesOf(world)).toHaveLength(1);
  });

  it('names the first five faults, not more', async () => {
    const world = await openWorld();
    const content = file(HEADER, ...Array.from({ length: 9 }, () => ({ type: 'no' })));
    const { message } = await world.chatbot.archives.import(world.session, content).catch((error) => error);
    expect(message.match(/line \d+/gu)).toEqual(['line 2', 'line 3', 'line 4', 'line 5', 'line 6']);
    expect(message).toMatch(/; and more\.$/u);
  });
});
