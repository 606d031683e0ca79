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
export async function resumeTurns(ctx: BotContext, sinceMs = 0): Promise<void> {
  const pending = await ctx.chatbot.sessions.pendingSessions();
  const waiting = pending.filter(({ oldestAt }) => ctx.clock() - oldestAt >= sinceMs).map(({ session }) => session);
  const next = async (): Promise<void> => {
    for (let session = waiting.shift(); session !== undefined; session = waiting.shift()) {
      await resumeSession(ctx, session).catch((error) => ctx.logger.error({ error }, 'a turn was not taken up'));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

/** Looks for such turns at intervals for as long as the bot runs; call the result to end that. */
export function startResumeLoop(ctx: BotContext): () => void {
  const { retryMs } = ctx.options;
  const look = () =>
    void resumeTurns(ctx, retryMs).catch((error) => ctx.logger.error({ error }, 'turns were not taken up'));
  const timer = setInterval(look, retryMs).unref();
  return () => clearInterval(timer);
}

async function resumeSession(ctx: BotContext, session: Session): Promise<void> {
  if (channelIdOf(session.id) === null || ctx.chatbot.waiting(session.id) > 0) return;
  const channel = await channelOf(ctx, session);
  if (channel === null) return void (await ctx.chatbot.answer(session, refuse));
  const { language } = await ctx.chatbot.settings(session);
  const locale = 'guild' in channel ? channel.guild.preferredLocale : 'en';
  const words = wordsFor(language.value === 'auto' ? locale : language.value);
  // What was asked after an answer that was stored already is a turn of its own.
  const target = channelTarget(ctx, { session, channel, words });
  while (hasEnded(await answerSession(ctx, target))) {
    if ((await ctx.chatbot.deliveries.unfinishedAnswer(session.id)) === null) return;
  }
}

/** A question whose channel is gone has nobody left to answer. */
async function refuse(): Promise<void> {}
