import type { Session } from '../../conversation/session.js';
import { wordsFor } from '../../words/index.js';
import { channelOf } from '../shared/channels.js';
import type { BotContext } from '../shared/context.js';
import { channelIdOf } from '../shared/incoming.js';
import { answerSession, hasEnded } from './answer.js';
import { channelTarget } from './target.js';

/** Sessions taken up at once. */
const AT_ONCE = 5;

/**
 * Takes up the turns that wait although nobody is at work on them, because the process ended, or Discord or the store
 * failed: each is answered, or expires with a notice. Only those that wait for `sinceMs` milliseconds at least.
 */
export async function resumeTurns(door: BotContext, sinceMs = 0): Promise<void> {
  const pending = await door.chatbot.places.pending();
  const waiting = pending.filter(({ oldestAt }) => door.clock() - oldestAt >= sinceMs).map(({ session }) => session);
  const next = async (): Promise<void> => {
    for (let session = waiting.shift(); session !== undefined; session = waiting.shift()) {
      await resumeSession(door, session).catch((error) => door.logger.error({ error }, 'a turn was not taken up'));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

/** Looks for such turns at intervals for as long as the bot runs; call the result to end that. */
export function startResumeLoop(door: BotContext): () => void {
  const { retryMs } = door.options;
  const look = () =>
    void resumeTurns(door, retryMs).catch((error) => door.logger.error({ error }, 'turns were not taken up'));
  const timer = setInterval(look, retryMs).unref();
  return () => clearInterval(timer);
}

async function resumeSession(door: BotContext, session: Session): Promise<void> {
  if (channelIdOf(session.id) === null || door.chatbot.waiting(session.id) > 0) return;
  const channel = await channelOf(door, session);
  if (channel === null) return void (await door.chatbot.answer(session, refuse));
  const { language } = await door.chatbot.settings(session);
  const locale = 'guild' in channel ? channel.guild.preferredLocale : 'en';
  const words = wordsFor(language.value === 'auto' ? locale : language.value);
  // What was asked after an answer that was stored already is a turn of its own.
  const room = channelTarget(door, { session, channel, words });
  while (hasEnded(await answerSession(door, room))) {
    if ((await door.chatbot.deliveries.unfinishedAnswer(session.id)) === null) return;
  }
}

/** A question whose channel is gone has nobody left to answer. */
async function refuse(): Promise<void> {}
