import pLimit from 'p-limit';
import type { Session } from '../../conversation/session.js';
import { fetchChannelToResume } from '../shared/channels.js';
import { type BotContext, wordsIn } from '../shared/context.js';
import { channelIdOf } from '../shared/incoming.js';
import { answerSession, isFinalOutcome } from './answer.js';
import { channelTarget } from './target.js';

/** Sessions resumed at once. */
const CONCURRENCY = 5;

/** Resumes waiting turns at intervals while the bot runs; call the result to end that. */
export function startResumeLoop(ctx: BotContext): () => void {
  const { retryMs } = ctx.options;
  const resume = () =>
    void resumeTurns(ctx, retryMs).catch((error) => ctx.logger.error({ error }, 'failed to resume turns'));
  const timer = setInterval(resume, retryMs).unref();
  return () => clearInterval(timer);
}

/**
 * Resumes the turns that wait although nobody works on them, because the process ended or Discord or the store failed: each
 * is answered, or expires with a notice. Only those that have waited for `sinceMs` milliseconds at least.
 */
export async function resumeTurns(ctx: BotContext, sinceMs = 0): Promise<void> {
  const pending = await ctx.chatbot.sessions.pendingSessions();
  const due = pending.filter(({ oldestAt }) => ctx.clock() - oldestAt >= sinceMs);
  const limit = pLimit(CONCURRENCY);
  const resume = ({ session }: { session: Session }) =>
    limit(() => resumeSession(ctx, session)).catch((error) =>
      ctx.logger.error({ sessionId: session.id, error }, 'failed to resume a turn'),
    );
  await Promise.all(due.map(resume));
}

async function resumeSession(ctx: BotContext, session: Session): Promise<void> {
  if (channelIdOf(session.id) === null || ctx.chatbot.waiting(session.id) > 0) return;
  const channel = await fetchChannelToResume(ctx, session);
  if (channel === null) return void (await ctx.chatbot.answer(session, deliverNothing));
  const { language } = await ctx.chatbot.settings(session);
  const words = wordsIn(language.value, 'guild' in channel ? channel.guild.preferredLocale : 'en');
  const target = channelTarget(ctx, { session, channel, words });
  // What was asked after an answer that was stored already is a turn of its own.
  while (isFinalOutcome(await answerSession(ctx, target))) {
    if ((await ctx.chatbot.deliveries.unfinishedAnswer(session.id)) === null) return;
  }
}

/** Ends a turn whose channel is gone: there is nobody to answer. */
async function deliverNothing(): Promise<void> {}
