import type { Message } from 'discord.js';
import { type Deliver, type TurnOutcome, TurnParkedError } from '../../chatbot/turn.js';
import type { Turn } from '../../conversation/store.js';
import type { BotContext } from '../shared/context.js';
import { isUnreachable } from '../shared/delivery-error.js';
import { sendNotice } from '../shared/notices.js';
import type { RunningAnswer } from '../shared/running-answers.js';
import { deleteSurplusMessages, reconcileDeliveries } from './interrupted-answers.js';
import { createTurnReply } from './reply.js';
import type { AnswerTarget } from './target.js';
import {
  type ActiveReply,
  isStored,
  type QuestionRef,
  reportDeliveryFailure,
  reportTurnOutcome,
} from './turn-outcome.js';

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
    await sendNotice(ctx, target.noticeTarget(question.id), words.chat.forgotten, { strict: true });
    return 'forgotten';
  } finally {
    unexpect();
  }
}

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
      await reconcileDeliveries(ctx, target.channel, turn);
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
    await reportTurnOutcome(ctx, target, outcome, active, running);
    return outcome.kind;
  } catch (error) {
    await reportDeliveryFailure(ctx, target, active, error);
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
