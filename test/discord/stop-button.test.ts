import { type ButtonInteraction, Events, type SendableChannels } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { handleStopPress, parseStopId, stopRow } from '../../src/discord/answers/stop-button.js';
import { createRunningAnswers } from '../../src/discord/shared/running-answers.js';
import { en } from '../../src/words/en.js';
import { openDiscord, readyClient } from '../fake-discord/harness.js';

/** A question by Ada that is being answered, with the stop button on a message. */
async function workshop({ moderators = [] as string[] } = {}) {
  const discord = await openDiscord();
  const guild = discord.addGuild();
  const channels = { here: discord.addChannel(guild), elsewhere: discord.addChannel(guild) };
  const channel = channels.here;
  const [ada, eve] = [discord.addUser({ name: 'ada' }), discord.addUser({ name: 'eve' })];
  const question = discord.say(ada, channel, 'why?');
  discord.say(eve, channel, 'hello');
  const client = await readyClient(discord);
  const running = createRunningAnswers();
  const handled: Promise<unknown>[] = [];
  client.on(Events.InteractionCreate, (interaction) => {
    const mayModerate = ({ user }: ButtonInteraction) => moderators.includes(user.username);
    const press = { running, words: en.reply, mayModerate };
    handled.push(handleStopPress(interaction as ButtonInteraction, press));
  });
  const answer = running.start(`discord:${channel.id}`);
  const show = (triggerId: string, where: 'here' | 'elsewhere' = 'here') => {
    const sendable = client.channels.cache.get(channels[where].id) as SendableChannels;
    return sendable.send({ content: '…', components: [stopRow({ triggerId, label: 'Stop' })] });
  };
  const message = await show(question.id);
  answer.begin([{ platformId: question.id, authorId: ada.id }], {
    messageIds: () => [message.id],
    remove: async () => {},
  });
  const press = (user: { id: string }, target: { id: string } = message, triggerId = question.id) =>
    discord.click(user, target, `stop:${triggerId}`);
  return { discord, ada, eve, question, answer, handled, show, press };
}

const UPDATE_LATER = 6;

describe('the stop button', () => {
  it('stops the answer for who asked', async () => {
    const { ada, answer, press } = await workshop();
    expect(await press(ada).acknowledged()).toMatchObject({ type: UPDATE_LATER });
    expect([answer.stopped(), answer.signal.aborted]).toEqual(['asked', true]);
  });

  it('stops the answer for moderators', async () => {
    const { eve, answer, press } = await workshop({ moderators: ['eve'] });
    expect(await press(eve).acknowledged()).toMatchObject({ type: UPDATE_LATER });
    expect(answer.stopped()).toBe('asked');
  });

  it('refuses others in a sentence that only they see', async () => {
    const { eve, answer, press } = await workshop();
    const pressed = press(eve);
    expect(await pressed.reply()).toMatchObject({ content: en.reply.notYours, flags: 64 });
    expect(answer.stopped()).toBeNull();
  });

  it('says so when the answer is over', async () => {
    const { ada, answer, press } = await workshop();
    answer.finish();
    expect(await press(ada).reply()).toMatchObject({ content: en.reply.over, flags: 64 });
  });

  it.each(['', '999', '__proto__', 'x'.repeat(90)])('says so when the id is forged: "%s"', async (triggerId) => {
    const { ada, answer, handled, show, press } = await workshop();
    const forged = await show(triggerId);
    expect(await press(ada, forged, triggerId).reply()).toMatchObject({ content: en.reply.over, flags: 64 });
    await Promise.all(handled);
    expect(answer.stopped()).toBeNull();
  });

  it('stops no answer of another channel', async () => {
    const { ada, question, answer, show, press } = await workshop();
    const elsewhere = await show(question.id, 'elsewhere');
    expect(await press(ada, elsewhere).reply()).toMatchObject({ content: en.reply.over });
    expect(answer.stopped()).toBeNull();
  });

  it('does not mind that the press has expired', async () => {
    const { discord, ada, answer, handled, press } = await workshop();
    const path = /\/interactions\/.*\/callback/;
    const fault = discord.faults.add(
      { method: 'POST', path },
      { kind: 'status', status: 404, body: { code: 10062, message: 'Unknown interaction' } },
    );
    press(ada);
    await discord.journal.waitUntil(() => discord.faults.hits(fault) > 0 || undefined);
    await Promise.all(handled);
    expect(answer.stopped()).toBe('asked');
  });

  it('knows its own ids from others', () => {
    expect(['stop:1', 'forget:1', ''].map(parseStopId)).toEqual(['1', null, null]);
  });
});
