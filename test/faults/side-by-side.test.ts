import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkPromises } from '../support/check-promises.js';
import { stream } from '../support/fake-openai/scripts.js';
import { gate } from '../support/gate.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';
import { isFold } from '../support/scripted-endpoint.js';
import { isOver } from '../support/world.js';
import { answerByMarks, atRest } from './loop.js';

let world: InProcessWorld;
beforeEach(async () => {
  world = await openInProcessWorld();
  answerByMarks(world);
  await world.start();
});
afterEach(() => world.close());

describe('side by side', () => {
  it('a person in two servers, a thread and a direct message is remembered in each apart', async () => {
    const { discord, guild, channel, ada } = world;
    const other = discord.addGuild({ name: 'Elsewhere' });
    discord.addMember(other, ada);
    const hidden = discord.addChannel(guild, { overwrites: [{ for: guild, deny: ['ViewChannel'] }] });
    for (const who of [ada, discord.botUser]) discord.setOverwrite(hidden, { for: who, allow: ['ViewChannel'] });
    const thread = discord.addThread(channel, { owner: ada });
    const places = [channel, discord.addChannel(other), hidden, thread, discord.openDm(ada)];
    for (let n = 1; n <= 3; n += 1) {
      await Promise.all(places.map((place, i) => world.ask(`please k${i + 1}n${n}q`, place)));
    }
    await atRest(world);
    await world.stop();
    expect(checkPromises({ ...world, channels: places, log: JSON.stringify(world.log) })).toEqual([]);
  });

  it('a forget while an answer and a fold are made leaves nothing of either', async () => {
    const { discord, channel, guild, ada, running } = world;
    const session = { id: `discord:${channel.id}`, serverId: guild.id, parentId: null };
    const { chatbot } = running();
    for (let n = 1; n <= 4; n += 1) await world.ask(`please k1n${n}q`);
    const [folding, answering] = [gate(), gate()];
    world.model.respond = (request) =>
      isFold(request)
        ? stream({ wait: folding.opened }, 'Told: k1n1q', { finish: 'stop' })
        : stream('Reply k1n5r', { wait: answering.opened }, ' as asked.', { finish: 'stop' });
    const calls = world.openai.requests.length;
    await chatbot.setStrategy(session, session.id, 'summary-buffer', { max_messages: 4, keep_messages: 2 });
    await world.openai.received(calls + 1);
    const question = world.mention(ada, channel, 'please k1n5q');
    await discord.replyTo(question);
    await chatbot.forget(session, { what: 'session' });
    folding.open();
    answering.open();
    await discord.journal.waitUntil(() => discord.botMessagesIn(channel).every(isOver));
    await atRest(world);
    answerByMarks(world);
    const requests = world.openai.chats().length;
    await world.ask('please k1n6q');
    await atRest(world);
    await world.stop();
    const takenBack = [1, 2, 3, 4].map((n) => ({ word: `k1n${n}q`, requests }));
    expect(checkPromises({ ...world, channels: [], takenBack, log: JSON.stringify(world.log) })).toEqual([]);
  });

  it('twelve channels overflow at once: three are folded at a time, and no reply waits', async () => {
    const { discord, guild, running } = world;
    const { chatbot } = running();
    const channels = Array.from({ length: 12 }, () => discord.addChannel(guild));
    for (let n = 1; n <= 3; n += 1) await Promise.all(channels.map((each, i) => world.ask(`please k${i}n${n}q`, each)));
    const go = gate();
    const { respond } = world.model;
    let [now, most] = [0, 0];
    world.model.respond = (request) => {
      if (!isFold(request)) return respond(request);
      now += 1;
      most = Math.max(most, now);
      const ended = go.opened.then(() => {
        now -= 1;
      });
      return stream({ wait: ended }, 'Told: of it.', { finish: 'stop' });
    };
    const small = { max_messages: 4, keep_messages: 2 };
    const sessions = channels.map(({ id }) => ({ id: `discord:${id}`, serverId: guild.id, parentId: null }));
    await Promise.all(sessions.map((session) => chatbot.setStrategy(session, session.id, 'summary-buffer', small)));
    await Promise.all(channels.map((each, i) => world.ask(`and k${i}n9q`, each)));
    expect(most).toBe(3);
    go.open();
    await atRest(world);
    expect(most).toBe(3);
    const facts = await Promise.all(sessions.map(({ id }) => running().store.sessionFacts(id)));
    expect(facts.every(({ summaries }) => summaries.length > 0)).toBe(true);
    await world.stop();
    expect(checkPromises({ ...world, channels, log: JSON.stringify(world.log) })).toEqual([]);
  });
});
