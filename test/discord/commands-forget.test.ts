import type { APIMessage } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIRM_MS } from '../../src/discord/commands/confirm.js';
import { MAX_LIFETIME_MS, writeCustomId } from '../../src/discord/commands/custom-id.js';
import { en } from '../../src/words/en.js';
import { converse } from '../support/conversation.js';
import type { FakeUser } from '../support/fake-discord/index.js';
import { buttonId, type Desk, openDesk, type Room } from './command-desk.js';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

/** One turn by somebody, stored and answered. */
async function talk(room: Room, user: FakeUser): Promise<void> {
  await desk.store.openSession(room.session);
  await converse(desk.store, { sessionId: room.session.id, authorId: user.id, authorName: user.name });
}

const storedIn = async ({ session }: Room) => (await desk.store.sessionFacts(session.id)).messages;

async function ask(room: Room, user: FakeUser, what: string): Promise<APIMessage> {
  return desk.discord.command(user, room.channel, 'memory forget', { what }).reply();
}

describe('/memory forget', () => {
  it('forgets a session only after it was confirmed, and counts what went', async () => {
    const room = desk.room();
    const mod = desk.person(room, 'mod', 'ManageChannels');
    await talk(room, mod);
    const question = await ask(room, mod, 'session');
    expect(question.content).toBe(en.forget.confirm.session);
    expect(await storedIn(room)).toBe(2);
    const pressed = desk.discord.click(mod, question, buttonId(question, en.forget.yes));
    const receipt = await pressed.reply(({ content }) => content !== en.forget.confirm.session);
    expect(receipt.content).toBe(en.forgotten.rows(1, 1));
    expect(receipt.components).toEqual([]);
    expect(await storedIn(room)).toBe(0);
  });

  it('keeps everything when it was not meant', async () => {
    const room = desk.room();
    const mod = desk.person(room, 'mod', 'ManageChannels');
    await talk(room, mod);
    const question = await ask(room, mod, 'session');
    const pressed = desk.discord.click(mod, question, buttonId(question, en.forget.no));
    const { content, components } = await pressed.reply(({ content: text }) => text === en.forget.kept);
    expect({ content, components }).toEqual({ content: en.forget.kept, components: [] });
    expect(await storedIn(room)).toBe(2);
  });

  it('takes the right to change the channel for a session, when asked and again when confirmed', async () => {
    const room = desk.room();
    const ben = desk.person(room, 'ben');
    expect((await ask(room, ben, 'session')).content).toBe(en.refusals.needsRight('Manage Channels'));
    const mod = desk.person(room, 'mod', 'ManageChannels');
    await talk(room, mod);
    const question = await ask(room, mod, 'session');
    const demoted = { permissions: ['ViewChannel', 'ReadMessageHistory'] } as const;
    const pressed = desk.discord.click(mod, question, buttonId(question, en.forget.yes), demoted);
    expect((await pressed.followUp()).content).toBe(en.refusals.needsRight('Manage Channels'));
    expect(await storedIn(room)).toBe(2);
  });

  it('lets everybody take back what they said themselves, and nobody else’s', async () => {
    const room = desk.room();
    const [ada, ben] = [desk.person(room, 'ada'), desk.person(room, 'ben')];
    await talk(room, ada);
    await talk(room, ben);
    const question = await ask(room, ada, 'me');
    const pressed = desk.discord.click(ada, question, buttonId(question, en.forget.yes));
    await pressed.reply(({ content }) => content.startsWith(en.forgotten.rows(1, 1)));
    const { messages } = await desk.store.loadHistory(room.session.id, { summary: false });
    expect(messages.filter(({ role }) => role === 'user').map(({ authorId }) => authorId)).toEqual([ben.id]);
  });

  it('takes back the newest turn if it is one’s own, else only for a moderator', async () => {
    const room = desk.room();
    const [ada, ben] = [desk.person(room, 'ada'), desk.person(room, 'ben')];
    await talk(room, ada);
    const asked = await ask(room, ben, 'last');
    const refused = desk.discord.click(ben, asked, buttonId(asked, en.forget.yes));
    await refused.reply(({ content }) => content === en.forget.lastIsOthers('Manage Channels'));
    expect(await storedIn(room)).toBe(2);
    const own = await ask(room, ada, 'last');
    await desk.discord
      .click(ada, own, buttonId(own, en.forget.yes))
      .reply(({ content }) => content === en.forgotten.rows(1, 1));
    await talk(room, ada);
    const mod = desk.person(room, 'mod', 'ManageChannels');
    const others = await ask(room, mod, 'last');
    await desk.discord
      .click(mod, others, buttonId(others, en.forget.yes))
      .reply(({ content }) => content === en.forgotten.rows(1, 1));
    expect(await storedIn(room)).toBe(0);
  });

  it('says when there was nothing', async () => {
    const room = desk.room();
    const question = await ask(room, desk.person(room, 'ada'), 'me');
    const user = { id: buttonId(question, en.forget.yes).split(':')[2] ?? '' };
    const pressed = desk.discord.click(user, question, buttonId(question, en.forget.yes));
    await pressed.reply(({ content }) => content === en.forget.nothing);
  });
});

describe('a confirmation', () => {
  it('cannot be given by somebody else', async () => {
    const room = desk.room();
    const [mod, other] = [desk.person(room, 'mod', 'ManageChannels'), desk.person(room, 'other', 'ManageChannels')];
    await talk(room, mod);
    const question = await ask(room, mod, 'session');
    const pressed = desk.discord.click(other, question, buttonId(question, en.forget.yes));
    expect((await pressed.reply()).content).toBe(en.buttons.notYours);
    expect(pressed.record().ephemeral).toBe(true);
    expect(await storedIn(room)).toBe(2);
  });

  it.each(['forget:session:1:zzzzzzzzz', 'forget:everything', 'nonsense', 'stop:', 'toString:me:1:1'])(
    'that is forged as %j is answered politely and does nothing',
    async (customId) => {
      const room = desk.room();
      const mod = desk.person(room, 'mod', 'ManageChannels');
      await talk(room, mod);
      const pressed = desk.discord.click(mod, await desk.plant(room, customId), customId);
      const { content } = await pressed.reply();
      expect([en.buttons.unknown, en.reply.over]).toContain(content);
      expect(pressed.record().ephemeral).toBe(true);
      expect(await storedIn(room)).toBe(2);
    },
  );

  it('expires, and promises no longer life than any button has', async () => {
    const room = desk.room();
    const mod = desk.person(room, 'mod', 'ManageChannels');
    await talk(room, mod);
    const now = desk.ctx.clock();
    const press = async (until: number) => {
      const customId = writeCustomId({ kind: 'forget', what: 'session', owner: mod.id, until });
      return desk.discord.click(mod, await desk.plant(room, customId), customId).reply();
    };
    expect((await press(now - 1)).content).toBe(en.buttons.expired);
    expect((await press(now + 2 * MAX_LIFETIME_MS)).content).toBe(en.buttons.unknown);
    expect(await storedIn(room)).toBe(2);
    const question = await ask(room, mod, 'session');
    const until = Number.parseInt(buttonId(question, en.forget.yes).split(':')[3] ?? '', 36);
    expect(until - desk.ctx.clock()).toBeLessThanOrEqual(CONFIRM_MS);
  });
});
