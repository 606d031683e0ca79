import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stream } from '../support/fake-openai/index.js';
import { gate, transcript } from './scripted-endpoint.js';
import { isComplete, openRunningStage, type Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await openRunningStage();
});
afterAll(() => stage.close());

describe('the bot on Discord, in a process of its own', () => {
  it('answers a mention as the model speaks, and shows in the end what it remembers', async () => {
    const { discord, model } = stage;
    const [ada, room, go] = [stage.person('Ada'), stage.room(), gate()];
    model.on('streamed?', stream('Hello ', { wait: go.opened }, 'Ada, all of it.', { finish: 'stop' }));
    const question = stage.mention(ada, room, 'streamed?');
    const first = await discord.replyTo(question);
    expect(first.content).toBe('Hello');
    expect(isComplete(first)).toBe(false);
    expect(discord.typingIn(room)).toHaveLength(1);
    expect(discord.typingIn(room)[0]?.n).toBeLessThan(discord.postsIn(room)[0]?.n ?? 0);
    go.open();
    const answer = await stage.answerTo(question);
    expect(answer).toMatchObject({ id: first.id, content: 'Hello Ada, all of it.' });
    await stage.ask(ada, room, 'and what did you say?');
    expect(transcript(await model.asked('what did you say'))).toContain('assistant: Hello Ada, all of it.\n');
  });

  it('remembers by the strategy that was set, also after a crash', async () => {
    const { discord, model } = stage;
    const [owner, room] = [stage.person('Olga', 'ManageGuild'), stage.room()];
    const thread = discord.addThread(room, { owner });
    const set = discord.command(owner, room, 'memory strategy window', { k: 8 });
    expect((await set.reply()).content).toContain('window k:8');
    await Promise.all([stage.ask(owner, room, 'my cat is Mia'), stage.ask(owner, thread, 'this thread is about tea')]);
    const registered = discord.journal.rest({ method: 'PUT', path: /\/commands$/ });
    expect(registered).toHaveLength(1);
    await stage.crash();
    await stage.start();
    const shown = await discord.command(owner, room, 'memory show').reply();
    expect(JSON.stringify(shown.embeds)).toContain('window k:8');
    const inThread = stage.answerTo(discord.say(owner, thread, 'green or black, in a thread?'));
    await Promise.all([stage.ask(owner, room, 'what is her name?'), inThread]);
    const prompt = transcript(await model.asked('what is her name'));
    expect(prompt).toContain('user: Olga: my cat is Mia\nassistant: You said: Olga: my cat is Mia\n');
    expect(transcript(await model.asked('green or black'))).toContain('this thread is about tea');
    expect(discord.journal.rest({ method: 'PUT', path: /\/commands$/ })).toEqual(registered);
  });

  it('answers two people in two channels side by side, and tells neither what the other said', async () => {
    const { discord, model } = stage;
    const [ada, ben, one, two] = [stage.person('Ada'), stage.person('Ben'), stage.room(), stage.room()];
    const gates = [gate(), gate()] as const;
    model.on('the red secret', stream('Red ', { wait: gates[0].opened }, 'it is.', { finish: 'stop' }));
    model.on('the blue secret', stream('Blue ', { wait: gates[1].opened }, 'it is.', { finish: 'stop' }));
    const questions = [stage.mention(ada, one, 'the red secret'), stage.mention(ben, two, 'the blue secret')] as const;
    expect((await discord.replyTo(questions[0])).content).toBe('Red');
    expect((await discord.replyTo(questions[1])).content).toBe('Blue');
    for (const each of gates) each.open();
    const answers = await Promise.all(questions.map((question) => stage.answerTo(question)));
    expect(answers.map(({ content }) => content)).toEqual(['Red it is.', 'Blue it is.']);
    await Promise.all([stage.ask(ada, one, 'back to red'), stage.ask(ben, two, 'back to blue')]);
    expect(transcript(await model.asked('back to red'))).not.toMatch(/blue/i);
    expect(transcript(await model.asked('back to blue'))).not.toMatch(/red/i);
  });

  it('lets people of one channel wait with a visible mark, and answers them in one turn with their names', async () => {
    const { discord, model } = stage;
    const [ada, ben, cleo, room, go] = [
      stage.person('Ada'),
      stage.person('Ben'),
      stage.person('Cleo'),
      stage.room(),
      gate(),
    ];
    model.on('first of three', stream('One', { wait: go.opened }, ' moment.', { finish: 'stop' }));
    const first = stage.mention(ada, room, 'first of three');
    await discord.replyTo(first);
    const [second, third] = [stage.mention(ben, room, 'second of three'), stage.mention(cleo, room, 'third of three')];
    const marked = (id: string) =>
      discord.messagesIn(room).some((message) => message.id === id && (message.reactions ?? []).length === 1);
    await discord.journal.waitUntil(() => marked(second.id) && marked(third.id));
    expect(model.requests('of three')).toHaveLength(1);
    go.open();
    await stage.answerTo(first);
    const merged = await stage.answerTo(third);
    expect(merged.content).toContain('You said: Ben: second of three\nCleo: third of three');
    expect(model.requests('of three')).toHaveLength(2);
    await discord.journal.waitUntil(() => !marked(second.id) && !marked(third.id));
    expect(discord.botMessagesIn(room)).toHaveLength(2);
  });
});
