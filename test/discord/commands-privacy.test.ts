import type { APIMessage } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverScope } from '../../src/conversation/session.js';
import { en } from '../../src/words/en.js';
import { aQuoteOf, converse } from '../support/conversation.js';
import type { FakeChannel, FakeUser } from '../support/fake-discord/index.js';
import { buttonId, type CommandWorld, openCommandWorld, type Room } from './command-world.js';

let world: CommandWorld;
beforeAll(async () => {
  world = await openCommandWorld();
});
afterAll(() => world.close());

const open = (user: FakeUser, channel: FakeChannel) => world.discord.command(user, channel, 'privacy').reply();
const press = (user: FakeUser, under: APIMessage, label: string) =>
  world.discord.click(user, under, buttonId(under, label));

async function talk({ session }: Room, user: FakeUser, text: string, quote = false): Promise<void> {
  await world.store.openSession(session);
  const quoted = quote
    ? aQuoteOf({ platformId: '77', authorId: '7', authorName: 'Zoe', text: 'a secret of Zoe' })
    : null;
  await converse(world.store, { sessionId: session.id, authorId: user.id, authorName: user.name, text, quote: quoted });
}

async function linesOf({ attachments }: APIMessage): Promise<Record<string, unknown>[]> {
  const text = await (await fetch(attachments[0]?.url ?? '')).text();
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('/privacy', () => {
  it('says in private what is stored, where it goes, how long and what deletion reaches', async () => {
    const room = world.addRoom();
    const ada = world.addPerson(room, 'ada');
    const given = world.discord.command(ada, room.channel, 'privacy');
    const { embeds } = await given.reply();
    expect(given.record().ephemeral).toBe(true);
    expect(embeds[0]?.fields?.map(({ value }) => value)).toEqual([
      en.privacy.storedText,
      en.privacy.goesText('scripted'),
      en.privacy.howLongText(30),
      en.privacy.reachText,
      en.privacy.choicesText(en.privacy.places.server),
    ]);
    const dm = world.discord.openDm(ada);
    const inDm = (await open(ada, dm)).embeds[0]?.fields?.at(-1)?.value;
    expect(inDm).toBe(en.privacy.choicesText(en.privacy.places.direct));
  });

  it('exports all that somebody said in the server, and no word of anybody else', async () => {
    const [room, other] = [world.addRoom(), world.addRoom()];
    const [ada, ben] = [world.addPerson(room, 'ada'), world.addPerson(room, 'ben')];
    const second = { ...room, session: { ...room.session, id: `discord:${world.discord.addChannel(room.guild).id}` } };
    await talk(room, ada, 'one\n{"two": "三"}', true);
    await talk(second, ada, 'elsewhere in the server');
    await talk(room, ben, 'said by Ben');
    await talk(other, ada, 'said in another server');
    const pressed = press(ada, await open(ada, room.channel), en.privacy.export);
    const answer = await pressed.reply(({ content }) => content === en.privacy.exported(2));
    expect(pressed.record().ephemeral).toBe(true);
    expect(answer.attachments[0]?.filename).toBe('keepsake-export-1.jsonl');
    const lines = await linesOf(answer);
    expect(lines.map(({ text }) => text).sort()).toEqual(['elsewhere in the server', 'one\n{"two": "三"}']);
    expect(lines.find(({ repliesTo }) => repliesTo === '77')).toMatchObject({ channel: room.channel.id, name: 'ada' });
    expect(JSON.stringify(lines)).not.toMatch(/Zoe|answer/u);
  });

  it('splits an export that is too large for one file, and loses no line', async () => {
    const room = world.addRoom();
    const ada = world.addPerson(room, 'ada');
    for (let i = 0; i < 5; i += 1) await talk(room, ada, `${i} ${'語'.repeat(1_000_000)}`);
    const pressed = press(ada, await open(ada, room.channel), en.privacy.export);
    const first = await pressed.reply(({ content }) => content === en.privacy.exported(5));
    const second = await pressed.followUp(1);
    const third = await pressed.followUp(2);
    const texts = [...(await linesOf(first)), ...(await linesOf(second)), ...(await linesOf(third))];
    expect(texts.map(({ text }) => String(text).slice(0, 1))).toEqual(['0', '1', '2', '3', '4']);
  });

  it('says so when nothing is stored', async () => {
    const room = world.addRoom();
    const ada = world.addPerson(room, 'ada');
    const pressed = press(ada, await open(ada, room.channel), en.privacy.export);
    expect((await pressed.reply()).content).toBe(en.privacy.nothingStored);
  });

  it('erases what somebody said in the server after a confirmation, and leaves the others', async () => {
    const room = world.addRoom();
    const [ada, ben] = [world.addPerson(room, 'ada'), world.addPerson(room, 'ben')];
    await talk(room, ada, 'mine');
    await talk(room, ben, 'his');
    const pressed = press(ada, await open(ada, room.channel), en.privacy.erase);
    const question = await pressed.reply();
    expect(question.content).toBe(en.forget.confirm.person(en.privacy.places.server));
    expect((await world.store.sessionFacts(room.session.id)).messages).toBe(4);
    const done = press(ada, question, en.forget.yes);
    await done.reply(({ content }) => content.startsWith(en.forgotten.rows(1, 1)));
    const { messages } = await world.store.loadHistory(room.session.id, { summary: false });
    expect(messages.map(({ text }) => text)).toEqual(['his', 'the answer']);
  });

  it('opts out and in again, in the server or in the direct message alone', async () => {
    const room = world.addRoom();
    const ada = world.addPerson(room, 'ada');
    const scope = serverScope(room.guild.id);
    const out = press(ada, await open(ada, room.channel), en.privacy.optOut);
    expect((await out.reply()).content).toBe(en.privacy.optedOut(en.privacy.places.server));
    expect((await world.store.optOut(scope, ada.id)).optedOut).toBe(true);
    const dm = world.discord.openDm(ada);
    await press(ada, await open(ada, dm), en.privacy.optOut).reply();
    const back = press(ada, await open(ada, room.channel), en.privacy.optIn);
    expect((await back.reply()).content).toBe(en.privacy.optedIn(en.privacy.places.server));
    expect((await world.store.optOut(scope, ada.id)).optedOut).toBe(false);
    expect((await world.store.optOut(`discord:${dm.id}`, ada.id)).optedOut).toBe(true);
  });
});
