import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Message } from 'discord.js';
import { type Deliver, type RefusedQuestion, type TurnOutcome, TurnParked } from '../../chatbot/turn.js';
import type { KeepsakeError } from '../../conversation/errors.js';
import type { Session } from '../../conversation/session.js';
import { type Turn, triggerIdOf, triggerOf } from '../../conversation/store.js';
import type { BotContext } from '../shared/context.js';
import { asDeliveryError, DeliveryError } from '../shared/delivery-error.js';
import { isPermanent, type NoticeResult, reactById } from '../shared/notices.js';
import { sentenceOf } from '../shared/respond.js';
import type { RunningAnswer } from '../shared/running-answers.js';
import { confirmDeliveries, deleteSurplusMessages, deleteUnfinishedAnswer } from './outbox.js';
import { createTurnReply, interruptedNotice, type Reply } from './reply.js';
import { type AnswerTarget, isSnowflake } from './target.js';

/** The mark of a question that has failed, where the reason was told lately or cannot be said. */
export const FAILED_MARK = '\u{26A0}\u{FE0F}';
/** How often what an outage has kept from being said is tried again: for ten minutes, at the usual interval. */
const TRIES = 20;

/**
 * Ends a question that gets no answer: with one sentence in reply to it, or with a mark where Discord refuses that. During
 * an outage of Discord it is tried again later, and not waited for.
 */
async function sendFinalNotice(
  ctx: BotContext,
  target: AnswerTarget,
  questionId: string,
  sentence: string,
): Promise<void> {
  // Said once, also when only the answer to the request was lost.
  const nonce = randomBytes(12).toString('base64url');
  const attempt = async (): Promise<NoticeResult> => {
    const said = await target.say(sentence, questionId, { nonce });
    return said === 'refused' && target.channel !== null
      ? reactById(ctx, target.channel, questionId, FAILED_MARK)
      : said;
  };
  if ((await attempt()) === 'away') void retryNotice(ctx, attempt);
}

async function retryNotice(ctx: BotContext, attempt: () => Promise<NoticeResult>): Promise<void> {
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      await pause(ctx.options.retryMs, undefined, { ref: false });
      if (ctx.client.isReady() && (await attempt()) !== 'away') return;
    }
    ctx.logger.warn({}, 'a last word was not said before the outage was over');
  } catch (error) {
    ctx.logger.error({ error }, 'a last word was not said');
  }
}

/** A question by its platform id, and when it was asked, in milliseconds since 1970. */
type QuestionRef = { id: string; at: number };

/** Newer messages of a session among which a question is looked for; a question does not wait for more. */
const LOOK_THROUGH = 1_000;

/** Whether a question is still kept. */
async function isStored(ctx: BotContext, session: Session, { id, at }: QuestionRef): Promise<boolean> {
  return (await ctx.chatbot.sessions.platformIdsSince(session.id, at, LOOK_THROUGH)).includes(id);
}

/** An answer in its room, and the turn that it answers; `complete` once all of it was shown. */
type ActiveReply = { reply: Reply; turn: Turn; complete: boolean };

/** Says how a turn ended where the answer itself does not; what was deleted or forgotten leaves nothing of an answer behind. */
async function reportOutcome(
  ctx: BotContext,
  target: AnswerTarget,
  outcome: TurnOutcome,
  showing: ActiveReply | null,
  running: RunningAnswer,
): Promise<void> {
  const { words, channel } = target;
  if (outcome.kind === 'expired') {
    await deleteUnfinishedAnswer(ctx, channel, outcome.turn).finally(() =>
      sendFinalNotice(ctx, target, triggerIdOf(outcome.turn), words.chat.expired),
    );
    return;
  }
  if (showing === null || running.stopped() === 'deleted') return;
  const { reply } = showing;
  if (outcome.kind === 'forgotten') return explainLoss(ctx, target, showing);
  if (outcome.kind === 'answered') {
    // What somebody has used is theirs to know, so it is said in reply to them.
    if (outcome.budgetWarning !== undefined)
      await target.say(words.budget.nearly[outcome.budgetWarning], reply.triggerId);
    return outcome.finish === 'length' ? reply.close(words.answerCutOff) : undefined;
  }
  if (reply.messageIds().length > 0) return;
  if (outcome.kind === 'cancelled') return reply.close(words.answerStopped);
  if (outcome.kind !== 'failed') return;
  const markable = channel !== null && isSnowflake(reply.triggerId);
  if (isFirstReport(ctx, target, outcome.error) || !markable) return reply.close(sentenceOf(words, outcome.error));
  await reactById(ctx, channel, reply.triggerId, FAILED_MARK);
}

/** An answer may be lost because its question was forgotten, or because of others that it was made of. */
async function explainLoss(ctx: BotContext, target: AnswerTarget, { reply, turn }: ActiveReply): Promise<void> {
  const { session, words } = target;
  await reply.remove();
  const id = reply.triggerId;
  const stands = await isStored(ctx, session, { id, at: triggerOf(turn)?.createdAt ?? 0 });
  await target.say(stands ? words.chat.lost : words.chat.forgotten, id, { strict: true });
}

/** While an endpoint is given a rest, a session hears of it once. */
function isFirstReport(ctx: BotContext, { session }: AnswerTarget, error: KeepsakeError): boolean {
  const rest = 'retryAfter' in error && typeof error.retryAfter === 'number' ? error.retryAfter : 0;
  return rest === 0 || ctx.cooldowns.tryStart(`notice ${session.id} ${error.code}`, rest);
}

/** The mark of a question where the bot may not write. */
export const SILENCED_MARK = '\u{1F910}';

/** Ends a turn whose answer, or whose notice, could not be shown; what nobody foresaw is said once, where nothing is shown yet. */
async function handleDeliveryFailure(
  ctx: BotContext,
  target: AnswerTarget,
  showing: ActiveReply | null,
  error: unknown,
): Promise<void> {
  const refusal = asDeliveryError(error);
  if (refusal instanceof DeliveryError) return handleRefusal(ctx, target, showing, refusal);
  if (showing === null) throw error;
  ctx.logger.error({ sessionId: target.session.id, error }, 'an answer failed');
  const { reply } = showing;
  if (reply.messageIds().length === 0)
    await sendFinalNotice(ctx, target, reply.triggerId, sentenceOf(target.words, error));
}

/**
 * A place that refuses every answer is left alone for a while; where only this one was refused, its asker is told so, and
 * nobody else need notice. Where a message of the answer was deleted, that was an order.
 */
async function handleRefusal(
  ctx: BotContext,
  target: AnswerTarget,
  showing: ActiveReply | null,
  refusal: DeliveryError,
): Promise<void> {
  const { session, words, channel } = target;
  const { code } = refusal;
  ctx.logger.info({ sessionId: session.id, code }, 'an answer was not shown');
  if (code === 'gone') return;
  const triggerId = showing?.reply.triggerId ?? '';
  if (isPermanent(refusal)) {
    await target.refused();
    // To react takes another right than to write does.
    if (code === 'no-permission' && channel !== null) await reactById(ctx, channel, triggerId, SILENCED_MARK);
    return;
  }
  if (showing === null || showing.complete) return;
  const reason = code === 'blocked' || code === 'unreachable' ? code : 'rejected';
  await sendFinalNotice(ctx, target, triggerId, words.reply.refused[reason]);
}

/**
 * Answers what waits in a session, in reply to the last question; every end of a turn can be seen in the room. Resolves
 * with how the turn ended; one that is parked is taken up later.
 */
export async function answerSession(
  ctx: BotContext,
  target: AnswerTarget,
  begin: (turn: Turn) => void = () => {},
): Promise<TurnOutcome['kind']> {
  const { session } = target;
  const running = ctx.running.start(session.id);
  let showing: ActiveReply | null = null;
  const deliver: Deliver = async (pieces, turn) => {
    const former = showing;
    const reply = createTurnReply(ctx, target, turn, running);
    const present: ActiveReply = { reply, turn, complete: false };
    showing = present;
    if (former !== null) ctx.claimed.release(session.id, idsOf(former.turn));
    ctx.claimed.claim(session.id, idsOf(turn));
    if (!running.begin(turn.questions, reply)) return parkAtEnd(running);
    begin(turn);
    try {
      // The question that it replied to was forgotten meanwhile; what is left of the turn is answered anew.
      if (former !== null && former.reply.triggerId !== reply.triggerId) await former.reply.remove();
      await confirmDeliveries(ctx, target.channel, turn);
      await reply.deliver(pieces);
      present.complete = true;
      await deleteSurplusMessages(ctx, target.channel, turn, reply.messageIds().length);
    } catch (error) {
      parkAtEnd(running);
      throw isOutage(error) ? new TurnParked() : error;
    }
  };
  try {
    const images = (turn: Turn) => ctx.pictures.of(idsOf(turn));
    const { signal } = running;
    const ready = () => ctx.downloads.settled(session.id, signal);
    const outcome = await ctx.chatbot.answer(session, deliver, { signal, images, ready });
    if (outcome.kind === 'expired') ctx.claimed.claim(session.id, idsOf(outcome.turn));
    for (const refused of outcome.refused ?? []) await explainRefusal(ctx, target, refused);
    if (outcome.kind === 'parked') await explainPause(ctx, target, showing, running);
    else await reportOutcome(ctx, target, outcome, showing, running);
    return outcome.kind;
  } catch (error) {
    await handleDeliveryFailure(ctx, target, showing, error);
    return 'failed';
  } finally {
    running.finish();
  }
}

/** Others were answered; who has used up their own budget is told so. */
async function explainRefusal(
  ctx: BotContext,
  target: AnswerTarget,
  { questionId, error }: RefusedQuestion,
): Promise<void> {
  ctx.claimed.claim(target.session.id, [questionId]);
  await target.say(sentenceOf(target.words, error), questionId);
}

/** What was shown in part may have to wait where the bot cannot come back to: its asker is told to ask again. */
async function explainPause(
  ctx: BotContext,
  target: AnswerTarget,
  showing: ActiveReply | null,
  running: RunningAnswer,
): Promise<void> {
  ctx.logger.warn({ sessionId: target.session.id }, 'an answer waits for a better time');
  if (target.channel !== null || showing === null || running.stopped() === 'shutdown') return;
  const { reply } = showing;
  if (reply.messageIds().length > 0) await sendFinalNotice(ctx, target, reply.triggerId, interruptedNotice(target));
}

/** Whether a turn was there and has ended. */
export function hasEnded(kind: TurnOutcome['kind']): boolean {
  return kind !== 'parked' && kind !== 'nothing';
}

function idsOf({ questions }: Turn): string[] {
  return questions.map(({ platformId }) => platformId);
}

/** At the end of the program a turn waits in the store for the next start. */
function parkAtEnd(running: RunningAnswer): void {
  if (running.stopped() === 'shutdown') throw new TurnParked();
}

function isOutage(error: unknown): boolean {
  const failure = asDeliveryError(error);
  return failure instanceof DeliveryError && failure.code === 'unreachable';
}

/** Answers a message, once the answers before it are given; until then it carries a mark. */
export async function answerMessage(ctx: BotContext, message: Message, target: AnswerTarget): Promise<void> {
  if (ctx.chatbot.waiting(target.session.id) > 0) ctx.marks.mark(message);
  try {
    const asked = { id: message.id, at: message.createdTimestamp };
    await answerQuestion(ctx, target, asked, (ids) => void ctx.marks.unmark(message, ids));
  } finally {
    // It may have been answered with an earlier one before its mark was set.
    await ctx.marks.unmark(message, [message.id]);
  }
}

/**
 * Answers a question, once the answers before it are given, and resolves with how that ended; `nothing` means together with
 * an earlier one. `begun` hears which questions a turn takes up.
 */
export async function answerQuestion(
  ctx: BotContext,
  target: AnswerTarget,
  asked: QuestionRef,
  begun: (ids: string[]) => void = () => {},
): Promise<TurnOutcome['kind']> {
  const { session, words } = target;
  const isTaken = () => ctx.claimed.isClaimed(session.id, asked.id);
  const begin = ({ questions }: Turn) => begun(questions.map(({ platformId }) => platformId));
  const heard = ctx.claimed.expect(session.id, asked.id);
  try {
    const first = await answerSession(ctx, target, begin);
    // After a restart an answer that was stored is finished first; what was asked since is a turn of its own.
    const ended = hasEnded(first) && !isTaken() ? await answerSession(ctx, target, begin) : first;
    // A turn that has taken it up has told its end; its rows may be swept already.
    if (ended !== 'nothing' || isTaken() || (await isStored(ctx, session, asked))) return ended;
    await target.say(words.chat.forgotten, asked.id, { strict: true });
    return 'forgotten';
  } finally {
    heard();
  }
}
