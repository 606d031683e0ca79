import type { APIMessage } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { TurnParkedError } from '../../src/chatbot/turn.js';
import { ModelError } from '../../src/conversation/errors.js';
import type { ChatModel, ModelCall } from '../../src/conversation/model.js';
import { resumeTurns } from '../../src/discord/answers/resume.js';
import { en } from '../../src/words/en.js';
import { gate } from '../support/gate.js';
import { type Line, scriptedModel } from '../support/scripted-model.js';
import { buttonId, type CommandWorld, openCommandWorld, type Room } from './command-world.js';

/** What the model says next, by what the question holds. */
type Script = (question: string, call: ModelCall) => Line | Promise<Line>;

let world: CommandWorld;
let script: Script = () => 'ok';
beforeAll(async () => {
  const model = scriptedModel(({ messages }, call) => script(messages.at(-1)?.content ?? '', call));
  world = await openCommandWorld({ model });
});
afterAll(() => world.close());

function chat(room: Room, message: string, user = world.addPerson(room, 'ada')) {
  return world.discord.command(user, room.channel, 'chat', { message });
}

/** Lets the model stream in its own way for one test. */
function streaming(stream: ChatModel['stream']): void {
  const original = world.model.stream;
  world.model.stream = stream;
  onTestFinished(() => {
    world.model.stream = original;
  });
}

/** A world whose model says a text only once the interaction of the question has grown too old to be answered as such. */
async function openLateWorld(text: string, setup: Parameters<typeof openCommandWorld>[0] = {}) {
  const seen = gate();
  const model = scriptedModel(async () => {
    await seen.opened;
    return text;
  });
  const late = await openCommandWorld({ ...setup, model });
  onTestFinished(() => late.close());
  const room = late.addRoom();
  const ada = late.addPerson(room, 'ada');
  return {
    late,
    room,
    ada,
    /** Asks, and lets 15 minutes go by. */
    async ask(message = 'take your time') {
      const given = late.discord.command(ada, room.channel, 'chat', { message });
      await given.acknowledged();
      late.discord.clock.advance(15 * 60_000);
      return given;
    },
    say: () => seen.open(),
  };
}

const remembered = async ({ session }: Room) =>
  (await world.store.loadHistory(session.id, { summary: false })).messages.map(({ role, authorName, text }) =>
    role === 'user' ? `${authorName}: ${text}` : text,
  );

describe('/chat', () => {
  it('answers everybody to see, without pings, and remembers both', async () => {
    script = () => 'Hello @everyone <@1> <@&2>';
    const room = world.addRoom();
    const given = chat(room, 'say hello');
    const shown = await given.reply(({ content, components }) => content !== '' && components?.length === 0);
    expect(shown.content).toBe('Hello @everyone <@1> <@&2>');
    expect(given.record().ephemeral).toBe(false);
    expect(world.discord.pings()).toEqual([]);
    await Promise.all(world.handled);
    expect(await remembered(room)).toEqual(['ada: say hello', 'Hello @everyone <@1> <@&2>']);
  });

  it('remembers which message shows the answer', async () => {
    script = () => 'here';
    const room = world.addRoom();
    const given = chat(room, 'where?');
    const shown = await given.reply(({ components }) => components?.length === 0);
    await Promise.all(world.handled);
    expect(await world.store.deliveriesOf(room.session.id, `c:${given.id}`)).toMatchObject([
      { chunk: 0, messageId: shown.id },
    ]);
  });

  it('names the speaker as the server does', async () => {
    script = () => 'ok';
    const room = world.addRoom();
    const ada = world.addPerson(room, 'ada');
    world.discord.addMember(room.guild, ada, { nick: 'Count\u202Eess:\nAda' });
    await chat(room, 'hello', ada).reply(({ components }) => components?.length === 0);
    await Promise.all(world.handled);
    expect((await remembered(room))[0]).toBe('Countess Ada: hello');
  });

  it('shows a long answer in several messages that join to it', async () => {
    const answer = Array.from({ length: 80 }, (_, i) => `line ${i} ${'x'.repeat(60)}`).join('\n');
    script = () => answer;
    const room = world.addRoom();
    const given = chat(room, 'much');
    const texts = [await given.reply(), await given.followUp(1), await given.followUp(2)].map(({ content }) => content);
    expect(texts.join('\n')).toBe(answer);
    expect(texts.every((text) => text.length <= 2_000)).toBe(true);
  });

  it.each([
    ['unreachable', en.errors.unreachable],
    ['filtered', en.errors.filtered],
    ['quota', en.errors.quota],
  ] as const)('ends an answer that fails (%s) in one plain sentence', async (code, sentence) => {
    script = () => new ModelError(code, 'in the library’s words');
    const room = world.addRoom();
    expect((await chat(room, 'fail').reply()).content).toBe(sentence);
  });

  it('keeps what came of an answer that breaks off, with a remark', async () => {
    const seen = gate();
    streaming(async function* () {
      yield 'The first half';
      await seen.opened;
      throw new ModelError('cut-off', 'in the library’s words');
    });
    const given = chat(world.addRoom(), 'break');
    await given.reply(({ content }) => content === 'The first half');
    seen.open();
    const shown = await given.reply(({ content }) => content.includes('\n'));
    expect(shown.content).toBe(`The first half\n-# ${en.errors['cut-off']}`);
    expect(shown.components).toEqual([]);
  });

  it('answers questions that waited together once, and says so to the others', async () => {
    const [all, heard] = [gate(), world.heard(3)];
    script = async (question) => {
      if (question.includes('first')) await all.opened;
      return `to ${question.split('\n').length} lines`;
    };
    const room = world.addRoom();
    const [ada, ben] = [world.addPerson(room, 'ada'), world.addPerson(room, 'ben')];
    const first = chat(room, 'first', ada);
    await heard.one;
    const [second, third] = [chat(room, 'second', ada), chat(room, 'third', ben)];
    await heard.all;
    all.open();
    const whole = ({ content, components }: APIMessage) => content !== '' && components?.length === 0;
    const answers = await Promise.all([first, second, third].map((given) => given.reply(whole)));
    expect(answers.map(({ content }) => content).sort()).toEqual([en.chat.together, 'to 1 lines', 'to 2 lines']);
  });

  it('can be stopped by who asked, and by nobody else without the right', async () => {
    const room = world.addRoom();
    const [ada, ben] = [world.addPerson(room, 'ada'), world.addPerson(room, 'ben')];
    streaming(async function* (_, { signal }) {
      yield 'So far';
      await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      throw new ModelError('cancelled', 'in the library’s words');
    });
    const given = chat(room, 'go on for ever', ada);
    const running = await given.reply(({ components }) => components?.length === 1);
    const stop = buttonId(running, en.reply.stop);
    expect((await world.discord.click(ben, running, stop).reply()).content).toBe(en.reply.notYours);
    world.discord.click(ada, running, stop);
    const ended = await given.reply(({ components }) => components?.length === 0);
    expect(ended.content).toBe(`So far\n-# ${en.answerStopped}`);
  });

  it('leaves nothing of an answer whose conversation was forgotten meanwhile', async () => {
    const room = world.addRoom();
    const seen = gate();
    streaming(async function* () {
      yield 'A secret';
      await seen.opened;
      return { finish: 'stop', usage: null };
    });
    const given = chat(room, 'tell me');
    await given.reply(({ content }) => content === 'A secret');
    await world.ctx.chatbot.forget(room.session, { what: 'session' });
    seen.open();
    expect((await given.followUp()).content).toBe(en.chat.forgotten);
    expect(world.discord.botMessagesIn(room.channel)).toEqual([]);
    expect(await remembered(room)).toEqual([]);
  });

  it('waits for the next start when the program ends, and says so', async () => {
    const room = world.addRoom();
    streaming(async function* (_, { signal }) {
      yield 'So far';
      await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      throw new ModelError('cancelled', 'in the library’s words');
    });
    const given = chat(room, 'go on');
    await given.reply(({ content }) => content === 'So far');
    world.ctx.running.stopAll('shutdown');
    const left = await given.reply(({ components, content }) => components?.length === 0 && content !== '');
    expect(left.content).toBe(`So far\n-# ${en.reply.interrupted}`);
    await Promise.all(world.handled);
    const waiting = await world.store.pendingSessions();
    expect(waiting.map(({ session }) => session.id)).toContain(room.session.id);
  });

  it.each(['ViewChannel', 'SendMessages'] as const)(
    'asks to be asked again when the program ends where the bot cannot come back to (without %s)',
    async (right) => {
      const room = world.addRoom();
      const ada = world.addPerson(room, 'ada');
      world.discord.setOverwrite(room.channel, { for: world.discord.botUser, deny: [right] });
      streaming(async function* (_, { signal }) {
        yield 'So far';
        await new Promise((resolve) => signal?.addEventListener('abort', resolve));
        throw new ModelError('cancelled', 'in the library’s words');
      });
      const given = chat(room, 'go on', ada);
      await given.reply(({ content }) => content === 'So far');
      world.ctx.running.stopAll('shutdown');
      const left = await given.reply(({ components, content }) => components?.length === 0 && content !== '');
      expect(left.content).toBe(`So far\n-# ${en.reply.interruptedForGood}`);
      await Promise.all(world.handled);
    },
  );

  it('that comes when its interaction has grown too old is answered in the channel', async () => {
    const { late, room, ask, say } = await openLateWorld('at last');
    const given = await ask();
    say();
    const shown = await late.discord.botMessage(room.channel, ({ content }) => content === 'at last');
    await Promise.all(late.handled);
    expect((await late.store.deliveriesOf(room.session.id, `c:${given.id}`))[0]?.messageId).toBe(shown.id);
  });

  it('shows of a very long answer the first part, and attaches all of it', async () => {
    const answer = Array.from({ length: 200 }, (_, i) => `line ${i} ${'y'.repeat(60)}`).join('\n');
    script = () => answer;
    const given = chat(world.addRoom(), 'very much');
    const last = await given.followUp(5);
    expect(last.content).toBe(en.reply.wholeInFile);
    expect(await (await fetch(last.attachments[0]?.url ?? '')).text()).toBe(answer);
  });

  it('is held to the limits of everybody who asks', async () => {
    const slow = await openCommandWorld({ ctx: { cooldownMs: 60_000 } });
    onTestFinished(() => slow.close());
    const room = slow.addRoom();
    const ada = slow.addPerson(room, 'ada');
    const first = slow.discord.command(ada, room.channel, 'chat', { message: 'one' });
    await first.reply(({ components }) => components?.length === 0);
    const second = slow.discord.command(ada, room.channel, 'chat', { message: 'two' });
    expect((await second.followUp()).content).toMatch(/^One question at a time; ask again in \d+ seconds\.$/u);
    const ben = slow.discord.command(slow.addPerson(room, 'ben'), room.channel, 'chat', { message: 'three' });
    await ben.reply(({ content }) => content.startsWith('answer'));
  });

  it('tells who opted out in private, and neither keeps nor answers what they say', async () => {
    const room = world.addRoom();
    const ada = world.addPerson(room, 'ada');
    await world.ctx.chatbot.people.setOptOut(`server:${room.guild.id}`, ada.id, true, 1);
    const given = chat(room, 'remember me not', ada);
    const told = await given.followUp();
    expect(told.content).toBe(en.chat.optedOut);
    expect((told.flags ?? 0) & 64).toBe(64);
    expect(await remembered(room)).toEqual([]);
  });

  it.each(['crash', 'outage that ends just now', 'crash before it was written'] as const)(
    'leaves an answer that was not shown since a %s to the question it belongs to',
    async (what) => {
      script = (question) => `to ${question}`;
      const room = world.addRoom();
      const ada = world.addPerson(room, 'ada');
      const asked = world.discord.say(ada, room.channel, 'asked before');
      const by = { authorId: ada.id, authorName: 'ada', quote: null, createdAt: Date.now(), addressed: true };
      await world.ctx.chatbot.receive({ session: room.session, platformId: asked.id, text: asked.content, ...by });
      const outage = gate();
      if (what !== 'outage that ends just now') outage.open();
      const parked = world.ctx.chatbot.answer(room.session, async (pieces) => {
        if (what !== 'crash before it was written') for await (const _ of pieces);
        await outage.opened;
        throw new TurnParkedError();
      });
      const heard = world.heard(1);
      if (what !== 'outage that ends just now') await parked;
      const given = chat(room, 'asked after it', ada);
      await heard.one;
      outage.open();
      const own = await given.reply(({ content, components }) => content !== '' && components?.length === 0);
      expect(own.content).toBe('to ada: asked after it');
      await Promise.all(world.handled);
      const shown = await world.discord.replyTo(asked);
      expect([shown.content, shown.components]).toEqual(['to ada: asked before', []]);
      expect(world.discord.botMessagesIn(room.channel)).toHaveLength(2);
    },
  );

  it('is answered in the channel after an outage of Discord, and says that it waits', async () => {
    script = () => 'at last';
    const room = world.addRoom();
    const fill = { method: 'PATCH', path: /\/messages\/@original$/, times: 1 } as const;
    world.discord.faults.add(fill, { kind: 'status', status: 503, body: {} });
    const given = chat(room, 'through the outage');
    expect((await given.reply(({ content }) => content !== '')).content).toBe(en.reply.interrupted);
    await Promise.all(world.handled);
    await resumeTurns(world.ctx);
    await world.discord.botMessage(room.channel, ({ content }) => content === 'at last');
  });

  it('is asked to be asked again after an outage where the bot cannot come back to', async () => {
    const room = world.addRoom();
    const ada = world.addPerson(room, 'ada');
    world.discord.setOverwrite(room.channel, { for: world.discord.botUser, deny: ['SendMessages'] });
    const seen = gate();
    streaming(async function* () {
      yield 'So far';
      await seen.opened;
      yield ' and on';
      return { finish: 'stop', usage: null };
    });
    const given = chat(room, 'through the outage', ada);
    await given.reply(({ content }) => content === 'So far');
    world.discord.faults.add({ method: 'PATCH', path: /\/webhooks\// }, { kind: 'status', status: 503, body: {} });
    seen.open();
    const told = await given.followUp();
    expect([told.content, (told.flags ?? 0) & 64]).toEqual([en.reply.interruptedForGood, 64]);
    await Promise.all(world.handled);
  });

  it.each([true, false])(
    'sends no message twice whose answer was lost (the channel can be read: %s)',
    async (readable) => {
      const answer = Array.from({ length: 60 }, (_, i) => `line ${i} ${'z'.repeat(60)}`).join('\n');
      const shaky = await openCommandWorld({ ctx: { pausesMs: [10, 20, 40] }, model: scriptedModel(() => answer) });
      onTestFinished(() => shaky.close());
      const room = shaky.addRoom();
      const ada = shaky.addPerson(room, 'ada');
      if (!readable)
        shaky.discord.setOverwrite(room.channel, { for: shaky.discord.botUser, deny: ['ReadMessageHistory'] });
      const lost = { method: 'POST', path: /^\/webhooks\//, times: 1 } as const;
      shaky.discord.faults.add(lost, { kind: 'lose-answer', how: 'reset' });
      const given = shaky.discord.command(ada, room.channel, 'chat', { message: 'much' });
      const last = await given.followUp(2);
      await Promise.all(shaky.handled);
      const shown = shaky.discord.messagesIn(room.channel).map(({ content }) => content);
      if (readable) expect(shown.join('\n')).toBe(answer);
      else expect([shown.length, last.content]).toEqual([2, en.reply.refused.rejected]);
      expect(shown.join('\n').match(/^line 40 /gmu)).toHaveLength(1);
    },
  );

  it('that is late is sent once into its channel, also when the answer to that is lost', async () => {
    const { late, room, ask, say } = await openLateWorld('at last', { ctx: { pausesMs: [10, 20, 40] } });
    await ask();
    const post = { method: 'POST', path: `/channels/${room.channel.id}/messages`, times: 1 };
    late.discord.faults.add(post, { kind: 'lose-answer', how: 'reset' });
    say();
    await Promise.all(late.handled);
    expect(late.discord.botMessagesIn(room.channel).filter(({ content }) => content === 'at last')).toHaveLength(1);
  });

  it('names whose tokens are nearly used up when it is too late to tell them alone', async () => {
    const { late, room, ada, ask, say } = await openLateWorld('y'.repeat(1_000));
    await late.ctx.chatbot.accounts.setBudget(`server:${room.guild.id}`, { person: 1_450 });
    await ask('x'.repeat(400));
    say();
    await late.discord.botMessage(room.channel, ({ content }) => content === `<@${ada.id}> ${en.budget.nearly.person}`);
    expect(late.discord.pings()).toEqual([]);
  });

  it('names whose tokens of the day are nearly used up, to the asker alone', async () => {
    script = () => 'y'.repeat(1_000);
    const room = world.addRoom();
    await world.ctx.chatbot.accounts.setBudget(`server:${room.guild.id}`, { server: 1_450 });
    const given = chat(room, 'x'.repeat(400));
    const told = await given.followUp();
    expect([told.content, (told.flags ?? 0) & 64]).toEqual([en.budget.nearly.server, 64]);
  });

  it('has nothing to answer to a blank question', async () => {
    const room = world.addRoom();
    expect((await chat(room, '   ').followUp()).content).toBe(en.errors['empty-question']);
  });

  it('talks in a direct message', async () => {
    script = () => 'just us';
    const ada = world.discord.addUser({ name: 'ada' });
    const dm = world.discord.openDm(ada);
    const given = world.discord.command(ada, dm, 'chat', { message: 'psst' });
    expect((await given.reply(({ components }) => components?.length === 0)).content).toBe('just us');
    await Promise.all(world.handled);
    expect((await world.store.findSession(`discord:${dm.id}`))?.serverId).toBeNull();
  });
});
