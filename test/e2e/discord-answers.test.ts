import type { APIMessage } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { en } from '../../src/words/en.js';
import { answer, failure, forever, stream, whole } from '../support/fake-openai/index.js';
import { gate } from '../support/gate.js';
import { isOver } from '../support/world.js';
import { openRunningWorld, type ProcessWorld } from './process-world.js';

const EDIT_MS = 1_500;

let world: ProcessWorld;
beforeAll(async () => {
  world = await openRunningWorld();
});
afterAll(() => world.close());

/** The custom id of an answer's stop button. */
function stopId({ components }: APIMessage): string {
  const [row] = (components ?? []) as { components: { custom_id: string }[] }[];
  return row?.components[0]?.custom_id ?? 'no button';
}

describe.concurrent('an answer on Discord', () => {
  it('is edited once in one and a half seconds at most, never to the same text, and to its end', async () => {
    const { discord, model } = world;
    const [ada, channel] = [world.addMember('Ada'), world.addChannel()];
    const gates = [gate(), gate(), gate()];
    const steps = gates.flatMap(({ opened }, n) => [`piece ${n} `, { wait: opened }]);
    model.on('in pieces', stream(...steps, 'the end', { finish: 'stop' }));
    const question = world.mention(ada, channel, 'in pieces');
    const first = await discord.replyTo(question);
    gates[0]?.open();
    await discord.replyTo(question, ({ content }) => content.endsWith('piece 1'));
    gates[1]?.open();
    await discord.replyTo(question, ({ content }) => content.endsWith('piece 2'));
    gates[2]?.open();
    expect((await world.answerTo(question)).content).toBe('piece 0 piece 1 piece 2 the end');
    const writes = [...discord.postsIn(channel), ...discord.editsOf(first)];
    const views = writes.map(({ body }) =>
      JSON.stringify([(body as APIMessage).content, (body as APIMessage).components]),
    );
    expect(new Set(views).size).toBe(views.length);
    const gaps = writes.slice(1).map(({ at }, n) => at - (writes[n]?.at ?? 0));
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(EDIT_MS - 20);
    expect(discord.typingIn(channel).length).toBeGreaterThan(0);
    for (const { n } of discord.typingIn(channel)) expect(n).toBeLessThan(writes[0]?.n ?? 0);
  });

  it('shows that it is typing for as long as the model thinks, and no longer', async () => {
    const { discord, model } = world;
    const [ada, channel, go] = [world.addMember('Ada'), world.addChannel(), gate()];
    model.on('think long', { before: go.opened, ...whole('thought') });
    const question = world.mention(ada, channel, 'think long');
    await discord.journal.waitUntil(() => discord.typingIn(channel).length >= 2);
    go.open();
    await world.answerTo(question);
    const shown = discord.typingIn(channel).length;
    await world.ask('think short', channel, ada);
    expect(discord.typingIn(channel)).toHaveLength(shown + 1);
  });

  it('of 25,000 characters comes as messages and a file, which together are what the model said', async () => {
    const { discord, model } = world;
    const [ada, channel] = [world.addMember('Ada'), world.addChannel()];
    const lines = Array.from({ length: 500 }, (_, n) => `Line ${n}: ${'palaver '.repeat(4)}😀👩‍👩‍👧 done.`);
    const text = ['Begin', '```ts', ...lines, '```', 'End'].join('\n').slice(0, 25_000);
    model.on('at great length', whole(text));
    const question = world.mention(ada, channel, 'at great length');
    const last = await discord.botMessage(channel, ({ attachments }) => attachments.length === 1);
    await discord.journal.waitUntil(() => discord.botMessagesIn(channel).every(isOver));
    const shown = discord.botMessagesIn(channel);
    expect(shown).toHaveLength(6);
    expect(shown.at(-1)?.id).toBe(last.id);
    expect(shown[0]?.message_reference?.message_id).toBe(question.id);
    for (const { content } of shown) expect(content.length).toBeLessThanOrEqual(2_000);
    const parts = shown.slice(0, -1).map(({ content }) => content);
    for (const part of parts) expect(part.match(/^```/gm)).toHaveLength(2);
    const joined = parts
      .map((part, n) => (n === 0 ? part : part.replace(/^```ts\n/, '')))
      .map((part) => part.replace(/\n```$/, ''));
    expect(text.startsWith(joined.join('\n'))).toBe(true);
    const [file] = discord.postsIn(channel).flatMap(({ files }) => files);
    expect(file?.bytes.toString()).toBe(text);
    expect(world.stored()).toContain(text);
  });

  it('is stopped by who asked, not by others, and keeps what was said until then', async () => {
    const { discord, model } = world;
    const [ada, ben, channel] = [world.addMember('Ada'), world.addMember('Ben'), world.addChannel()];
    model.on('stop me', stream('So far', { wait: forever }));
    const question = world.mention(ada, channel, 'stop me');
    const shown = await discord.replyTo(question);
    const refused = await discord.click(ben, shown, stopId(shown)).reply();
    expect(refused).toMatchObject({ content: en.reply.notYours, flags: 64 });
    const request = world.openai.requests.find(({ body }) => body.includes('stop me'));
    await discord.click(ada, shown, stopId(shown)).acknowledged();
    expect((await world.answerTo(question)).content).toBe(`So far\n-# ${en.answerStopped}`);
    await request?.closed;
    await world.ask('next one please', channel, ada);
  });

  it('is stopped by a moderator', async () => {
    const { discord, model } = world;
    const [ada, mod, channel] = [world.addMember('Ada'), world.addMember('Mod', 'ManageMessages'), world.addChannel()];
    model.on('moderate me', stream('So far', { wait: forever }));
    const question = world.mention(ada, channel, 'moderate me');
    const shown = await discord.replyTo(question);
    await discord.click(mod, shown, stopId(shown)).acknowledged();
    expect(isOver(await world.answerTo(question))).toBe(true);
  });

  it('stops and goes when its question is deleted', async () => {
    const { discord, model } = world;
    const [ada, channel] = [world.addMember('Ada'), world.addChannel()];
    model.on('delete me', stream('So far', { wait: forever }));
    const question = world.mention(ada, channel, 'delete me');
    await discord.replyTo(question);
    const request = world.openai.requests.find(({ body }) => body.includes('delete me'));
    discord.deleteMessage(question);
    await request?.closed;
    await discord.journal.waitUntil(() => discord.botMessagesIn(channel).length === 0);
    await world.ask('what was deleted', channel, ada);
    expect(await model.promptFor('what was deleted')).not.toMatch(/delete me|So far/);
    expect(discord.botMessagesIn(channel)).toHaveLength(1);
  });

  it('is not begun when its question is deleted while it waits', async () => {
    const { discord, model } = world;
    const [ada, ben, channel, go] = [world.addMember('Ada'), world.addMember('Ben'), world.addChannel(), gate()];
    model.on('takes a while', stream('One', { wait: go.opened }, ' done', { finish: 'stop' }));
    const first = world.mention(ada, channel, 'takes a while');
    await discord.replyTo(first);
    const second = world.mention(ben, channel, 'never mind me');
    await discord.journal.waitFor({ method: 'PUT', path: new RegExp(`/messages/${second.id}/reactions/`) });
    discord.deleteMessage(second);
    go.open();
    await world.answerTo(first);
    await world.ask('anything else there', channel, ada);
    expect(model.requests('never mind me')).toEqual([]);
    expect(discord.botMessagesIn(channel)).toHaveLength(2);
  });

  it.each([
    ['a refused key', failure(401, { message: 'Incorrect API key provided: sk-loopback' }), en.errors['bad-key']],
    ['an empty account', failure(429, { code: 'insufficient_quota' }), en.errors.quota],
    ['an unknown model', failure(404, { code: 'model_not_found' }), en.errors['unknown-model']],
    ['an empty reply', stream({ finish: 'stop' }), en.errors['empty-answer']],
  ])('that fails by %s ends in one plain sentence', async (what, script, sentence) => {
    const [ada, channel] = [world.addMember('Ada'), world.addChannel()];
    world.model.on(what, script);
    const shown = await world.ask(`fail by ${what}`, channel, ada);
    expect(shown.content).toBe(sentence);
    expect(world.discord.botMessagesIn(channel)).toHaveLength(1);
  });

  it('that breaks off keeps its beginning and says so', async () => {
    const [ada, channel] = [world.addMember('Ada'), world.addChannel()];
    const cut = gate();
    world.model.on('break off', stream('The beginning', { wait: cut.opened }, { end: true }));
    const question = world.mention(ada, channel, 'break off');
    await world.discord.replyTo(question);
    cut.open();
    expect((await world.answerTo(question)).content).toBe(`The beginning\n-# ${en.errors['cut-off']}`);
  });

  it('that reached its limit says so', async () => {
    const [ada, channel] = [world.addMember('Ada'), world.addChannel()];
    world.model.on('limited', answer('As far as it', { finish: 'length' }));
    const question = world.mention(ada, channel, 'limited');
    const limited = await world.discord.replyTo(question, ({ content }) => content.includes(en.answerCutOff));
    expect(limited.content).toBe(`As far as it\n-# ${en.answerCutOff}`);
  });

  it('is refused in words when too many wait, and the others are still answered together', async () => {
    const { discord, model } = world;
    const [ada, channel, go] = [world.addMember('Ada'), world.addChannel(), gate()];
    model.on('crowd 0', stream('One', { wait: go.opened }, ' done', { finish: 'stop' }));
    const first = world.mention(ada, channel, 'crowd 0');
    await discord.replyTo(first);
    const crowd = Array.from({ length: 24 }, (_, n) => world.mention(ada, channel, `crowd number ${n}.`));
    const refused = await discord.botMessage(channel, ({ content }) => content === en.limits.queueFull);
    expect(crowd.map(({ id }) => id)).toContain(refused.message_reference?.message_id);
    go.open();
    await world.answerTo(first);
    await discord.botMessage(channel, ({ content }) => content.startsWith('You said: crowd number'));
    expect(model.requests('crowd number 10.')).toHaveLength(1);
    expect(model.requests('crowd number')).toHaveLength(1);
  });
});
