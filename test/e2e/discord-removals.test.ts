import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forever, stream } from '../support/fake-openai/index.js';
import { transcript, whole } from './scripted-endpoint.js';
import { openRunningStage, type Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await openRunningStage();
  for (const word of ['remember', 'recall', 'elsewhere']) stage.model.on(word, whole('Noted.'));
});
afterAll(() => stage.close());

/** The prompt of a new question in a channel. */
async function recalled(user: { id: string }, room: { id: string }, word: string): Promise<string> {
  await stage.ask(user, room, `recall ${word}`);
  return transcript(await stage.model.asked(`recall ${word}`));
}

/** What the database holds once all that was told to the bot before has been followed. */
async function storedAfterwards(): Promise<string[]> {
  await stage.ask(stage.person('Zoe'), stage.room(), 'said elsewhere');
  return stage.stored();
}

describe.concurrent('what becomes of changed and removed messages', () => {
  it('an edit changes what is remembered, a preview does not', async () => {
    const { discord } = stage;
    const [ada, room] = [stage.person('Ada'), stage.room()];
    const question = stage.mention(ada, room, 'remember the number 12');
    await stage.answerTo(question);
    discord.unfurl(question);
    discord.edit(question, `${discord.mention(discord.botUser)} remember the number 13`);
    const prompt = await recalled(ada, room, 'the edit');
    expect(prompt).toContain('Ada: remember the number 13\nassistant: Noted.');
    expect(prompt).not.toContain('12');
  });

  it('a deleted question takes its answer with it', async () => {
    const { discord } = stage;
    const [ada, room] = [stage.person('Ada'), stage.room()];
    const question = stage.mention(ada, room, 'remember a deleted thing');
    await stage.answerTo(question);
    discord.deleteMessage(question);
    const prompt = await recalled(ada, room, 'the deletion');
    expect(prompt).not.toMatch(/deleted thing|assistant/);
  });

  it('a deleted answer goes, and its question stays', async () => {
    const { discord } = stage;
    const [ada, room] = [stage.person('Ada'), stage.room()];
    const answer = await stage.ask(ada, room, 'remember my question alone');
    await discord.command(ada, room, 'memory show').reply();
    discord.deleteMessage(answer);
    const prompt = await recalled(ada, room, 'the question');
    expect(prompt).toContain('question alone');
    expect(prompt).not.toContain('assistant');
  });

  it('messages deleted at once all go, also those that were quoted', async () => {
    const { discord } = stage;
    const [ada, room] = [stage.person('Ada'), stage.room()];
    const quoted = discord.say(ada, room, 'a quoted confession');
    const first = stage.mention(ada, room, 'remember one');
    await stage.answerTo(first);
    const second = stage.mention(ada, room, 'remember two', { replyTo: quoted });
    await stage.answerTo(second);
    discord.bulkDelete([first, quoted]);
    const prompt = await recalled(ada, room, 'the rest');
    expect(prompt).toContain('Ada: remember two');
    expect(prompt).not.toMatch(/remember one|confession/);
  });

  it('a deleted message leaves the summary too', async () => {
    const { discord, model } = stage;
    const [olga, room] = [stage.person('Olga', 'ManageChannels'), stage.room()];
    await discord.command(olga, room, 'memory strategy summary', { scope: 'channel' }).reply();
    model.on('zebra', whole('Olga likes a zebra.'));
    model.on('yak', whole('Olga likes a yak.'));
    const zebra = stage.mention(olga, room, 'remember the zebra');
    await stage.answerTo(zebra);
    await discord.command(olga, room, 'memory summarize').reply();
    await stage.ask(olga, room, 'remember the yak');
    await discord.command(olga, room, 'memory summarize').reply();
    expect(stage.stored().join()).toContain('zebra');
    discord.deleteMessage(zebra);
    const summarized = await discord.command(olga, room, 'memory summarize').reply();
    expect(summarized.content).not.toBe('');
    const shown = JSON.stringify((await discord.command(olga, room, 'memory show').reply()).embeds);
    expect(shown).not.toContain('zebra');
    expect((await storedAfterwards()).join()).not.toContain('zebra');
  });

  it('a deleted thread is forgotten, its channel is not', async () => {
    const { discord } = stage;
    const [ada, room] = [stage.person('Ada'), stage.room()];
    const thread = discord.addThread(room, { owner: ada });
    await stage.ask(ada, room, 'remember the channel part');
    await stage.ask(ada, thread, 'remember the thread part');
    discord.deleteThread(thread);
    const stored = (await storedAfterwards()).join('\n');
    expect(stored).toContain('the channel part');
    expect(stored).not.toContain('the thread part');
  });

  it('a deleted channel is forgotten with its threads, also in mid-answer', async () => {
    const { discord, model } = stage;
    const [ada, room] = [stage.person('Ada'), stage.room()];
    const thread = discord.addThread(room, { owner: ada });
    await stage.ask(ada, thread, 'remember the doomed thread');
    await stage.ask(ada, room, 'remember the doomed channel');
    model.on('doomed answer', stream('Half an', { wait: forever }));
    await discord.replyTo(stage.mention(ada, room, 'a doomed answer'));
    const request = stage.openai.requests.find(({ body }) => body.includes('a doomed answer'));
    discord.deleteChannel(room);
    await request?.closed;
    expect((await storedAfterwards()).join('\n')).not.toContain('doomed');
  });

  it('a server is remembered that has an outage, or that removes the bot and invites it again soon', async () => {
    const { discord } = stage;
    const [guild, other] = [discord.addGuild({ name: 'Frail' }), discord.addGuild({ name: 'Cold' })];
    const [room, cold] = [discord.addChannel(guild), discord.addChannel(other)];
    const ada = discord.addUser({ name: 'Ada' });
    await stage.ask(ada, room, 'remember the outage');
    await stage.ask(ada, cold, 'remember the cold shoulder');
    // Its command is answered behind the turn, which is settled then.
    await discord.command(ada, cold, 'memory show').reply();
    discord.guildUnavailable(guild);
    discord.guildBack(guild);
    discord.removeGuild(other);
    expect(await recalled(ada, room, 'after the outage')).toContain('remember the outage');
    discord.rejoinGuild(other);
    expect(await recalled(ada, cold, 'after the return')).toContain('remember the cold shoulder');
  });
});
