import type { APIMessage } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIRM_MS } from '../../src/discord/commands/confirm.js';
import { MAX_LIFETIME_MS, writeCustomId } from '../../src/discord/commands/custom-id.js';
import { en } from '../../src/words/en.js';
import { converse } from '../support/conversation.js';
import type { FakeUser } from '../support/fake-discord/index.js';
import { buttonId, type CommandWorld, openCommandWorld, type Room } from './command-world.js';

let world: CommandWorld;
beforeAll(async () => {
  world = await openCommandWorld();
});
afterAll(() => world.close());

/** One turn by somebody, stored and answered. */
async function talk(room: Room, user: FakeUser): Promise<void> {
  await world.store.openSession(room.session);
  await converse(world.store, { sessionId: room.session.id, authorId: user.id, authorName: user.name });
}

const storedIn = async ({ session }: Room) => (await world.store.sessionFacts(session.id)).messages;

async function ask(room: Room, user: FakeUser, what: string): Promise<APIMessage> {
  return world.discord.command(user, room.channel, 'memory forget', { what }).reply();
}

describe('/memory forget', () => {
  it('forgets a session only after it was confirmed, and counts what went', async () => {
    const room = world.addRoom();
    const mod = world.addPerson(room, 'mod', 'ManageChannels');
    await talk(room, mod);
    const question = await ask(room, mod, 'session');
    expect(question.content).toBe(en.forget.confirm.session);
    expect(await storedIn(room)).toBe(2);
    const pressed = world.discord.click(mod, question, buttonId(question, en.forget.yes));
    const receipt = await pressed.reply(({ content }) => content !== en.forget.confirm.session);
    expect(receipt.content).toBe(en.forgotten.rows(1, 1));
    expect(receipt.components).toEqual([]);
    expect(await storedIn(room)).toBe(0);
  });

  it('keeps everything when it was not meant', async () => {
    const room = world.addRoom();
    const mod = world.addPerson(room, 'mod', 'ManageChannels');
    await talk(room, mod);
    const question = await ask(room, mod, 'session');
    const pressed = world.discord.click(mod, question, buttonId(question, en.forget.no));
    const { content, components } = await pressed.reply(({ content: text }) => text === en.forget.kept);
    expect({ content, components }).toEqual({ content: en.forget.kept, components: [] });
    expect(await storedIn(room)).toBe(2);
  });

  it('takes the right to change the channel for a session, when asked and again when confirmed', async () => {
    const room = world.addRoom();
    const ben = world.addPerson(room, 'ben');
    expect((await ask(room, ben, 'session')).content).toBe(en.refusals.needsRight('Manage Channels'));
    const mod = world.addPerson(room, 'mod', 'ManageChannels');
    await talk(room, mod);
    const question = await ask(room, mod, 'session');
    const demoted = { permissions: ['ViewChannel', 'ReadMessageHistory'] } as const;
    const pressed = world.discord.click(mod, question, buttonId(question, en.forget.yes), demoted);
    expect((await pressed.followUp()).content).toBe(en.refusals.needsRight('Manage Channels'));
    expect(await storedIn(room)).toBe(2);
  });

  it('lets everybody take back what they said themselves, and nobody else’s', async () => {
    const room = world.addRoom();
    const [ada, ben] = [world.addPerson(room, 'ada'), world.addPerson(room, 'ben')];
    await talk(room, ada);
    await talk(room, ben);
    const question = await ask(room, ada, 'me');
    const pressed = world.discord.click(ada, question, buttonId(question, en.forget.yes));
    await pressed.reply(({ content }) => content.startsWith(en.forgotten.rows(1, 1)));
    const { messages } = await world.store.loadHistory(room.session.id, { summary: false });
    expect(messages.filter(({ role }) => role === 'user').map(({ authorId }) => authorId)).toEqual([ben.id]);
  });

  it('takes back the newest turn if it is one’s own, else only for a moderator', async () => {
    const room = world.addRoom();
    const [ada, ben] = [world.addPerson(room, 'ada'), world.addPerson(room, 'ben')];
    await talk(room, ada);
    const asked = await ask(room, ben, 'last');
    const refused = world.discord.click(ben, asked, buttonId(asked, en.forget.yes));
    await refused.reply(({ content }) => content === en.forget.lastIsOthers('Manage Channels'));
    expect(await storedIn(room)).toBe(2);
    const own = await ask(room, ada, 'last');
    await world.discord
      .click(ada, own, buttonId(own, en.forget.yes))
      .reply(({ content }) => content === en.forgotten.rows(1, 1));
    await talk(room, ada);
    const mod = world.addPerson(room, 'mod', 'ManageChannels');
    const others = await ask(room, mod, 'last');
    await world.discord
      .click(mod, others, buttonId(others, en.forget.yes))
      .reply(({ content }) => content === en.forgotten.rows(1, 1));
    expect(await storedIn(room)).toBe(0);
  });

  it('says when there was nothing', async () => {
    const room = world.addRoom();
    const question = await ask(room, world.addPerson(room, 'ada'), 'me');
    const user = { id: buttonId(question, en.forget.yes).split(':')[2] ?? '' };
    const pressed = world.discord.click(user, question, buttonId(question, en.forget.yes));
    await pressed.reply(({ content }) => content === en.forget.nothing);
  });
});

describe('a confirmation', () => {
  it('cannot be given by somebody else', async () => {
    const room = world.addRoom();
    const [mod, other] = [
      world.addPerson(room, 'mod', 'ManageChannels'),
      world.addPerson(room, 'other', 'ManageChannels'),
    ];
    await talk(room, mod);
    const question = await ask(room, mod, 'session');
    const pressed = world.discord.click(other, question, buttonId(question, en.forget.yes));
    expect((await pressed.reply()).content).toBe(en.buttons.notYours);
    expect(pressed.record().ephemeral).toBe(true);
    expect(await storedIn(room)).toBe(2);
  });

  it.each(['forget:session:1:zzzzzzzzz', 'forget:everything', 'nonsense', 'stop:', 'toString:me:1:1'])(
    'that is forged as %j is answered politely and does nothing',
    async (customId) => {
      const room = world.addRoom();
      const mod = world.addPerson(room, 'mod', 'ManageChannels');
      await talk(room, mod);
      const pressed = world.discord.click(mod, await world.plant(room, customId), customId);
      const { content } = await pressed.reply();
      expect([en.buttons.unknown, en.reply.over]).toContain(content);
      expect(pressed.record().ephemeral).toBe(true);
      expect(await storedIn(room)).toBe(2);
    },
  );

  it('expires, and promises no longer life than any button has', async () => {
    const room = world.addRoom();
    const mod = world.addPerson(room, 'mod', 'ManageChannels');
    await talk(room, mod);
    const now = world.ctx.clock();
    const press = async (until: number) => {
      const customId = writeCustomId({ kind: 'forget', what: 'session', owner: mod.id, until });
      return world.discord.click(mod, await world.plant(room, customId), customId).reply();
    };
    expect((await press(now - 1)).content).toBe(en.buttons.expired);
    expect((await press(now + 2 * MAX_LIFETIME_MS)).content).toBe(en.buttons.unknown);
    expect(await storedIn(room)).toBe(2);
    const question = await ask(room, mod, 'session');
    const until = Number.parseInt(buttonId(question, en.forget.yes).split(':')[3] ?? '', 36);
    expect(until - world.ctx.clock()).toBeLessThanOrEqual(CONFIRM_MS);
  });
});
