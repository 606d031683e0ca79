import type { Message } from 'discord.js';
import { type Deliver, type OverBudgetQuestion, type TurnOutcome, TurnParkedError } from '../../chatbot/turn.js';
import type { KeepsakeError } from '../../conversation/errors.js';
import type { Session } from '../../conversation/session.js';
import { type Turn, triggerIdOf, triggerOf } from '../../conversation/store.js';
import type { BotContext } from '../shared/context.js';
import { asDeliveryError, DeliveryError, isChannelRefusal, isUnreachable } from '../shared/delivery-error.js';
import { sentenceOf } from '../shared/failures.js';
import { isSnowflake } from '../shared/format.js';
import { mark, type NoticeOptions, say } from '../shared/notices.js';
import type { RunningAnswer } from '../shared/running-answers.js';
import { confirmDeliveries, deleteSurplusMessages, deleteUnfinishedAnswer } from './outbox.js';
import { createTurnReply, interruptedNotice, type Reply } from './reply.js';
import type { AnswerTarget } from './target.js';

/** The last notice about a question that gets no answer: a mark where it is refused, retried while Discord is away. */
const FINAL: NoticeOptions = { later: true, orMark: true };

/** A question by its platform id, and when it was asked, in milliseconds since 1970. */
type QuestionRef = { id: string; at: number };

/** Answers a message once the answers before it are given; until then it carries a mark. */
export async function answerMessage(ctx: BotContext, message: Message, target: AnswerTarget): Promise<void> {
  if (ctx.chatbot.waiting(target.session.id) > 0) ctx.waitingMarks.add(message);
  try {
    const question = { id: message.id, at: message.createdTimestamp };
    await answerQuestion(ctx, target, question, (ids) => void ctx.waitingMarks.remove(message, ids));
  } finally {
    // It may have been answered with an earlier one before its mark was set.
    await ctx.waitingMarks.remove(message, [message.id]);
  }
}

/**
 * Answers a question once the answers before it are given, and resolves with how that ended; `nothing` means together with
 * an earlier one. `onBegin` learns which questions a turn takes up.
 */
export async function answerQuestion(
  ctx: BotContext,
  target: AnswerTarget,
  question: QuestionRef,
  onBegin: (ids: string[]) => void = () => {},
): Promise<TurnOutcome['kind']> {
  const { session, words } = target;
  const isClaimed = () => ctx.claimed.isClaimed(session.id, question.id);
  const begin = (turn: Turn) => onBegin(idsOf(turn));
  const unexpect = ctx.claimed.expect(session.id, question.id);
  try {
    const first = await answerSession(ctx, target, begin);
    // After a restart a stored answer is finished first; what was asked since then is a turn of its own.
    const ended = isFinalOutcome(first) && !isClaimed() ? await answerSession(ctx, target, begin) : first;
    // A turn that has claimed the question has told how it ended; its rows may have been swept since.
    if (ended !== 'nothing' || isClaimed() || (await isStored(ctx, session, question))) return ended;
    await say(ctx, target.noticeTarget(question.id), words.chat.forgotten, { strict: true });
    return 'forgotten';
  } finally {
    unexpect();
  }
}

/** An answer in its target, and the turn that it answers; `complete` once all of it was shown. */
type ActiveReply = { reply: Reply; turn: Turn; complete: boolean };

/**
 * Answers what waits in a session, in reply to the last question; the target shows how every turn ended. Resolves with how
 * the turn ended; one that is parked is resumed later.
 */
export async function answerSession(
  ctx: BotContext,
  target: AnswerTarget,
  onBegin: (turn: Turn) => void = () => {},
): Promise<TurnOutcome['kind']> {
  const { session } = target;
  const running = ctx.running.start(session.id);
  let active: ActiveReply | null = null;
  const deliver: Deliver = async (pieces, turn) => {
    const previous = active;
    const reply = createTurnReply(ctx, target, turn, running);
    const present: ActiveReply = { reply, turn, complete: false };
    active = present;
    if (previous !== null) ctx.claimed.release(session.id, idsOf(previous.turn));
    ctx.claimed.claim(session.id, idsOf(turn));
    if (!running.begin(turn.questions, reply)) return parkAtShutdown(running);
    onBegin(turn);
    try {
      // The question that the previous reply belonged to was forgotten; the rest of the turn is answered anew.
      if (previous !== null && previous.reply.triggerId !== reply.triggerId) await previous.reply.remove();
      await confirmDeliveries(ctx, target.channel, turn);
      await reply.deliver(pieces);
      present.complete = true;
      await deleteSurplusMessages(ctx, target.channel, turn, reply.messageIds().length);
    } catch (error) {
      parkAtShutdown(running);
      throw isUnreachable(error) ? new TurnParkedError() : error;
    }
  };
  try {
    const { signal } = running;
    const images = (turn: Turn) => ctx.pictures.of(idsOf(turn));
    const ready = () => ctx.downloads.settled(session.id, signal);
    const outcome = await ctx.chatbot.answer(session, deliver, { signal, images, ready });
    if (outcome.kind === 'expired') ctx.claimed.claim(session.id, idsOf(outcome.turn));
    for (const refused of outcome.refused ?? []) await reportRefusedQuestion(ctx, target, refused);
    if (outcome.kind === 'parked') await reportParked(ctx, target, active, running);
    else await reportOutcome(ctx, target, outcome, active, running);
    return outcome.kind;
  } catch (error) {
    await handleDeliveryFailure(ctx, target, active, error);
    return 'failed';
  } finally {
    running.finish();
  }
}

/** Whether a turn was there and has ended. */
export function isFinalOutcome(kind: TurnOutcome['kind']): boolean {
  return kind !== 'parked' && kind !== 'nothing';
}

/** At the end of the program a turn waits in the store for the next start. */
function parkAtShutdown(running: RunningAnswer): void {
  if (running.stopped() === 'shutdown') throw new TurnParkedError();
}

function idsOf({ questions }: Turn): string[] {
  return questions.map(({ platformId }) => platformId);
}

/** Newer messages of a session among which a question is looked for. */
const SEARCHED_MESSAGES = 1_000;

async function isStored(ctx: BotContext, session: Session, { id, at }: QuestionRef): Promise<boolean> {
  return (await ctx.chatbot.sessions.platformIdsSince(session.id, at, SEARCHED_MESSAGES)).includes(id);
}

/** Tells the asker of a question that was left out of the turn, since their budget of the day is used up. */
async function reportRefusedQuestion(
  ctx: BotContext,
  target: AnswerTarget,
  { questionId, error }: OverBudgetQuestion,
): Promise<void> {
  ctx.claimed.claim(target.session.id, [questionId]);
  await say(ctx, target.noticeTarget(questionId), sentenceOf(target.words, error));
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
  await say(ctx, target.noticeTarget(reply.triggerId), interruptedNotice(target), FINAL);
}

/** Shows how a turn ended where the answer itself does not; of what was deleted or forgotten nothing stays shown. */
async function reportOutcome(
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
      say(ctx, question, words.chat.expired, FINAL),
    );
    return;
  }
  if (active === null || running.stopped() === 'deleted') return;
  const { reply } = active;
  const question = target.noticeTarget(reply.triggerId);
  if (outcome.kind === 'forgotten') return reportForgotten(ctx, target, active);
  if (outcome.kind === 'answered') {
    // A reply to the asker, since what somebody has used concerns nobody else.
    if (outcome.budgetWarning !== undefined) await say(ctx, question, words.budget.nearly[outcome.budgetWarning]);
    return outcome.finish === 'length' ? reply.close(words.answerCutOff) : undefined;
  }
  if (reply.messageIds().length > 0) return;
  if (outcome.kind === 'cancelled') return reply.close(words.answerStopped);
  if (outcome.kind !== 'failed') return;
  const markable = channel !== null && isSnowflake(reply.triggerId);
  if (isFirstReport(ctx, target, outcome.error) || !markable) return reply.close(sentenceOf(words, outcome.error));
  await mark(ctx, { kind: 'message', channel, messageId: reply.triggerId });
}

/** An answer is lost when its question was forgotten, or others that it was made of. */
async function reportForgotten(ctx: BotContext, target: AnswerTarget, { reply, turn }: ActiveReply): Promise<void> {
  const { session, words } = target;
  await reply.remove();
  const id = reply.triggerId;
  const stands = await isStored(ctx, session, { id, at: triggerOf(turn)?.createdAt ?? 0 });
  await say(ctx, target.noticeTarget(id), stands ? words.chat.lost : words.chat.forgotten, { strict: true });
}

/** While the breaker of an endpoint is open, a session is told once. */
function isFirstReport(ctx: BotContext, { session }: AnswerTarget, error: KeepsakeError): boolean {
  const pause = 'retryAfter' in error && typeof error.retryAfter === 'number' ? error.retryAfter : 0;
  return pause === 0 || ctx.cooldowns.tryStart(`notice ${session.id} ${error.code}`, pause);
}

/** Ends a turn whose answer, or whose notice, could not be shown; an unforeseen error is told where nothing is shown yet. */
async function handleDeliveryFailure(
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
  await say(ctx, target.noticeTarget(reply.triggerId), sentenceOf(target.words, error), FINAL);
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
      await mark(ctx, { kind: 'message', channel, messageId: triggerId });
    }
    return;
  }
  if (active === null || active.complete) return;
  const reason = code === 'blocked' || code === 'unreachable' ? code : 'rejected';
  await say(ctx, target.noticeTarget(triggerId), words.reply.refused[reason], FINAL);
}
