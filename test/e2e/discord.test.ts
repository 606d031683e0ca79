import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stream } from '../support/fake-openai/index.js';
import { gate } from '../support/gate.js';
import { isOver } from '../support/world.js';
import { openRunningWorld, type ProcessWorld } from './process-world.js';

let world: ProcessWorld;
beforeAll(async () => {
  world = await openRunningWorld();
});
afterAll(() => world.close());

describe('the bot on Discord, in a process of its own', () => {
  it('answers a mention as the model speaks, and shows in the end what it remembers', async () => {
    const { discord, model } = world;
    const [ada, channel, go] = [world.addMember('Ada'), world.addChannel(), gate()];
    model.on('streamed?', stream('Hello ', { wait: go.opened }, 'Ada, all of it.', { finish: 'stop' }));
    const question = world.mention(ada, channel, 'streamed?');
    const first = await discord.replyTo(question);
    expect(first.content).toBe('Hello');
    expect(isOver(first)).toBe(false);
    expect(discord.typingIn(channel)).toHaveLength(1);
    expect(discord.typingIn(channel)[0]?.n).toBeLessThan(discord.postsIn(channel)[0]?.n ?? 0);
    go.open();
    const answer = await world.answerTo(question);
    expect(answer).toMatchObject({ id: first.id, content: 'Hello Ada, all of it.' });
    await world.ask('and what did you say?', channel, ada);
    expect(await model.promptFor('what did you say')).toContain('assistant: Hello Ada, all of it.\n');
  });

  it('remembers by the strategy that was set, also after a crash', async () => {
    const { discord, model } = world;
    const [owner, channel] = [world.addMember('Olga', 'ManageGuild'), world.addChannel()];
    const thread = discord.addThread(channel, { owner });
    const set = discord.command(owner, channel, 'memory strategy window', { k: 8 });
    expect((await set.reply()).content).toContain('window k:8');
    await Promise.all([
      world.ask('my cat is Mia', channel, owner),
      world.ask('this thread is about tea', thread, owner),
    ]);
    const registered = discord.journal.rest({ method: 'PUT', path: /\/commands$/ });
    expect(registered).toHaveLength(1);
    await world.crash();
    await world.start();
    const shown = await discord.command(owner, channel, 'memory show').reply();
    expect(JSON.stringify(shown.embeds)).toContain('window k:8');
    const inThread = world.answerTo(discord.say(owner, thread, 'green or black, in a thread?'));
    await Promise.all([world.ask('what is her name?', channel, owner), inThread]);
    const prompt = await model.promptFor('what is her name');
    expect(prompt).toContain('user: Olga: my cat is Mia\nassistant: You said: my cat is Mia\n');
    expect(await model.promptFor('green or black')).toContain('this thread is about tea');
    expect(discord.journal.rest({ method: 'PUT', path: /\/commands$/ })).toEqual(registered);
  });

  it('answers two people in two channels side by side, and tells neither what the other said', async () => {
    const { discord, model } = world;
    const [ada, ben, one, two] = [
      world.addMember('Ada'),
      world.addMember('Ben'),
      world.addChannel(),
      world.addChannel(),
    ];
    const gates = [gate(), gate()] as const;
    model.on('the red secret', stream('Red ', { wait: gates[0].opened }, 'it is.', { finish: 'stop' }));
    model.on('the blue secret', stream('Blue ', { wait: gates[1].opened }, 'it is.', { finish: 'stop' }));
    const questions = [world.mention(ada, one, 'the red secret'), world.mention(ben, two, 'the blue secret')] as const;
    expect((await discord.replyTo(questions[0])).content).toBe('Red');
    expect((await discord.replyTo(questions[1])).content).toBe('Blue');
    for (const each of gates) each.open();
    const answers = await Promise.all(questions.map((question) => world.answerTo(question)));
    expect(answers.map(({ content }) => content)).toEqual(['Red it is.', 'Blue it is.']);
    await Promise.all([world.ask('back to red', one, ada), world.ask('back to blue', two, ben)]);
    expect(await model.promptFor('back to red')).not.toMatch(/blue/i);
    expect(await model.promptFor('back to blue')).not.toMatch(/red/i);
  });

  it('lets people of one channel wait with a mark, and answers them in one turn by name', async () => {
    const { discord, model } = world;
    const [ada, ben, cleo, channel, go] = [
      world.addMember('Ada'),
      world.addMember('Ben'),
      world.addMember('Cleo'),
      world.addChannel(),
      gate(),
    ];
    model.on('first of three', stream('One', { wait: go.opened }, ' moment.', { finish: 'stop' }));
    const first = world.mention(ada, channel, 'first of three');
    await discord.replyTo(first);
    const [second, third] = [
      world.mention(ben, channel, 'second of three'),
      world.mention(cleo, channel, 'third of three'),
    ];
    const marked = (id: string) =>
      discord.messagesIn(channel).some((message) => message.id === id && (message.reactions ?? []).length === 1);
    await discord.journal.waitUntil(() => marked(second.id) && marked(third.id));
    expect(model.requests('of three')).toHaveLength(1);
    go.open();
    await world.answerTo(first);
    const merged = await world.answerTo(third);
    expect(merged.content).toContain('You said: third of three');
    expect(model.requests('of three')).toHaveLength(2);
    await discord.journal.waitUntil(() => !marked(second.id) && !marked(third.id));
    expect(discord.botMessagesIn(channel)).toHaveLength(2);
  });
});
