import type { OverBudgetQuestion, TurnOutcome } from '../../chatbot/turn.js';
import type { KeepsakeError } from '../../conversation/errors.js';
import type { Session } from '../../conversation/session.js';
import { type Turn, triggerIdOf, triggerOf } from '../../conversation/store.js';
import type { BotContext } from '../shared/context.js';
import { asDeliveryError, DeliveryError, isChannelRefusal } from '../shared/delivery-error.js';
import { errorMessageFor } from '../shared/failures.js';
import { isSnowflake } from '../shared/format.js';
import { addFailedMark, type NoticeOptions, sendNotice } from '../shared/notices.js';
import type { RunningAnswer } from '../shared/running-answers.js';
import { deleteUnfinishedAnswer } from './interrupted-answers.js';
import { interruptedNotice, type Reply } from './reply.js';
import type { AnswerTarget } from './target.js';

/** The last notice about a question that gets no answer: a mark where it is refused, retried while Discord is away. */
const FINAL: NoticeOptions = { later: true, orMark: true };

/** A question by its platform id, and when it was asked, in milliseconds since 1970. */
export type QuestionRef = { id: string; at: number };

/** An answer in its target, and the turn that it answers; `complete` once all of it was shown. */
export type ActiveReply = { reply: Reply; turn: Turn; complete: boolean };

/**
 * Shows how a turn ended where the answer itself does not, and tells those whose questions were left out of it. `active` is the
 * reply that was begun last.
 */
export async function reportTurnOutcome(
  ctx: BotContext,
  target: AnswerTarget,
  outcome: TurnOutcome,
  active: ActiveReply | null,
  running: RunningAnswer,
): Promise<void> {
  for (const refused of outcome.refused ?? []) await reportRefusedQuestion(ctx, target, refused);
  if (outcome.kind === 'parked') await reportParked(ctx, target, active, running);
  else await reportEnd(ctx, target, outcome, active, running);
}

/** Tells the asker of a question that was left out of the turn, since their budget of the day is used up. */
async function reportRefusedQuestion(
  ctx: BotContext,
  target: AnswerTarget,
  { questionId, error }: OverBudgetQuestion,
): Promise<void> {
  ctx.claimed.claim(target.session.id, [questionId]);
  await sendNotice(ctx, target.noticeTarget(questionId), errorMessageFor(target.words, error));
}

/** Where the bot cannot write by itself, a half-shown answer cannot be completed later: its asker is told to ask again. */
async function reportParked(
  ctx: BotContext,
  target: AnswerTarget,
  active: ActiveReply | null,
  running: RunningAnswer,
): Promise<void> {
  ctx.logger.warn({ sessionId: target.session.id }, 'turn parked, to be resumed later');
  if (target.channel !== null || active === null || running.stopped() === 'shutdown') return;
  const { reply } = active;
  if (reply.messageIds().length === 0) return;
  await sendNotice(ctx, target.noticeTarget(reply.triggerId), interruptedNotice(target), FINAL);
}

/** Of what was deleted or forgotten nothing stays shown. */
async function reportEnd(
  ctx: BotContext,
  target: AnswerTarget,
  outcome: TurnOutcome,
  active: ActiveReply | null,
  running: RunningAnswer,
): Promise<void> {
  const { words, channel } = target;
  if (outcome.kind === 'expired') {
    const question = target.noticeTarget(triggerIdOf(outcome.turn));
    await deleteUnfinishedAnswer(ctx, channel, outcome.turn).finally(() =>
      sendNotice(ctx, question, words.chat.expired, FINAL),
    );
    return;
  }
  if (active === null || running.stopped() === 'deleted') return;
  const { reply } = active;
  const question = target.noticeTarget(reply.triggerId);
  if (outcome.kind === 'forgotten') return reportForgotten(ctx, target, active);
  if (outcome.kind === 'answered') {
    // A reply to the asker, since what somebody has used concerns nobody else.
    if (outcome.budgetWarning !== undefined)
      await sendNotice(ctx, question, words.budget.nearly[outcome.budgetWarning]);
    return outcome.finish === 'length' ? reply.close(words.answerCutOff) : undefined;
  }
  if (reply.messageIds().length > 0) return;
  if (outcome.kind === 'cancelled') return reply.close(words.answerStopped);
  if (outcome.kind !== 'failed') return;
  const markable = channel !== null && isSnowflake(reply.triggerId);
  if (isFirstReport(ctx, target, outcome.error) || !markable) return reply.close(errorMessageFor(words, outcome.error));
  await addFailedMark(ctx, { kind: 'message', channel, messageId: reply.triggerId });
}

/** An answer is lost when its question was forgotten, or others that it was made of. */
async function reportForgotten(ctx: BotContext, target: AnswerTarget, { reply, turn }: ActiveReply): Promise<void> {
  const { session, words } = target;
  await reply.remove();
  const id = reply.triggerId;
  const stands = await isStored(ctx, session, { id, at: triggerOf(turn)?.createdAt ?? 0 });
  await sendNotice(ctx, target.noticeTarget(id), stands ? words.chat.lost : words.chat.forgotten, { strict: true });
}

/** While the breaker of an endpoint is open, a session is told once. */
function isFirstReport(ctx: BotContext, { session }: AnswerTarget, error: KeepsakeError): boolean {
  const pause = 'retryAfter' in error && typeof error.retryAfter === 'number' ? error.retryAfter : 0;
  return pause === 0 || ctx.cooldowns.tryStart(`notice ${session.id} ${error.code}`, pause);
}

/** Ends a turn whose answer, or whose notice, could not be shown; an unforeseen error is told where nothing is shown yet. */
export async function reportDeliveryFailure(
  ctx: BotContext,
  target: AnswerTarget,
  active: ActiveReply | null,
  error: unknown,
): Promise<void> {
  const refusal = asDeliveryError(error);
  if (refusal instanceof DeliveryError) return handleRefusal(ctx, target, active, refusal);
  if (active === null) throw error;
  ctx.logger.error({ sessionId: target.session.id, error }, 'failed to answer');
  const { reply } = active;
  if (reply.messageIds().length > 0) return;
  await sendNotice(ctx, target.noticeTarget(reply.triggerId), errorMessageFor(target.words, error), FINAL);
}

/**
 * A channel that refuses every answer gets none for a while; where only this answer was refused, its asker is told. Where
 * somebody deleted a message of the answer, that was a wish to stop it.
 */
async function handleRefusal(
  ctx: BotContext,
  target: AnswerTarget,
  active: ActiveReply | null,
  refusal: DeliveryError,
): Promise<void> {
  const { session, words, channel } = target;
  const { code } = refusal;
  ctx.logger.info({ sessionId: session.id, code }, 'failed to show an answer');
  if (code === 'gone') return;
  const triggerId = active?.reply.triggerId ?? '';
  if (isChannelRefusal(refusal)) {
    await target.refused();
    // Reactions take another permission than messages do.
    if (code === 'no-permission' && channel !== null) {
      await addFailedMark(ctx, { kind: 'message', channel, messageId: triggerId });
    }
    return;
  }
  if (active === null || active.complete) return;
  const reason = code === 'blocked' || code === 'unreachable' ? code : 'rejected';
  await sendNotice(ctx, target.noticeTarget(triggerId), words.reply.refused[reason], FINAL);
}

/** Newer messages of a session among which a question is looked for. */
const SEARCHED_MESSAGES = 1_000;

/** Whether a question is still stored. */
export async function isStored(ctx: BotContext, session: Session, { id, at }: QuestionRef): Promise<boolean> {
  return (await ctx.chatbot.sessions.platformIdsSince(session.id, at, SEARCHED_MESSAGES)).includes(id);
}
