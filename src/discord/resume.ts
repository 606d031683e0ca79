import type { SendableChannels } from 'discord.js';
import type { Session } from '../conversation/session.js';
import { wordsFor } from '../words/index.js';
import { answerSession } from './answer-question.js';
import type { Door } from './door.js';
import { channelIdOf } from './session.js';

/** Sessions taken up at once. */
const AT_ONCE = 5;

/** Takes up the turns that were waiting when the process ended: each is answered, or expires with a notice. */
export async function resumeTurns(door: Door): Promise<void> {
  const waiting = await door.chatbot.places.pending();
  const next = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      await resumeSession(door, one.session).catch((error) => door.logger.error({ error }, 'a turn was not taken up'));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

async function resumeSession(door: Door, session: Session): Promise<void> {
  const channel = await channelOf(door, session);
  if (channel === null) return void (await door.chatbot.answer(session, refuse));
  const { language } = await door.chatbot.settings(session);
  const locale = 'guild' in channel ? channel.guild.preferredLocale : 'en';
  const words = wordsFor(language.value === 'auto' ? locale : language.value);
  await answerSession(door, { session, channel, words });
}

/** The channel of a session, or null when it is gone or cannot be written to. */
export async function channelOf(door: Door, session: Session): Promise<SendableChannels | null> {
  const id = channelIdOf(session.id);
  if (id === null) return null;
  const channel = await door.client.channels.fetch(id).catch(() => null);
  return channel?.isSendable() ? channel : null;
}

/** A question whose channel is gone has nobody left to answer. */
async function refuse(): Promise<void> {}
