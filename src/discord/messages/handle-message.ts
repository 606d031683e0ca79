import type { Message, ThreadChannel } from 'discord.js';
import { personScope, type Session } from '../../conversation/session.js';
import type { ResolvedSettings } from '../../conversation/settings.js';
import type { Words } from '../../words/en.js';
import { answerMessage } from '../answers/answer.js';
import { channelTarget } from '../answers/target.js';
import { hasStoredMessages } from '../shared/channels.js';
import { editOf, hasTextFile, NO_TEXT, readImages } from '../shared/content.js';
import { type BotContext, wordsIn } from '../shared/context.js';
import { errorMessageFor } from '../shared/failures.js';
import { isAddressed, isContentHidden, isHumanMessage, sessionOf, toUserMessage } from '../shared/incoming.js';
import { addFailedMark, noticeTarget, sendNotice } from '../shared/notices.js';
import { type Admission, admitMessage, canWrite } from './answer-limits.js';
import { announceListening, wasTriedLately } from './listening-notice.js';

/** How often a channel is told of the same failure, in milliseconds. */
const FAILURE_INTERVAL_MS = 60_000;
/** How often a person, or a channel, is told the same reason why a question is refused, in milliseconds. */
const REFUSAL_INTERVAL_MS = 30_000;
/** How often a channel where the bot may not write shows that a question was seen, in milliseconds. */
const SILENCED_INTERVAL_MS = 60_000;

/** A message, its session, whether it addresses the bot, and the language in which its author is told of failures. */
type Incoming = { message: Message; session: Session; addressed: boolean; words: Words };

/** A message with the settings in force when it came. */
type IncomingWithSettings = Incoming & { settings: ResolvedSettings };

/** What is done about a message once it is stored. */
type Respond = () => Promise<void>;

/** Stores a message where it is to be remembered, and answers it where it is to be answered, or tells why not. */
export async function handleMessage(ctx: BotContext, message: Message): Promise<void> {
  if (!isHumanMessage(message) || isContentHidden(message, ctx.options.messageContent)) return;
  const respond = await ctx.intake.run(message.channelId, () => takeIn(ctx, message));
  await respond();
}

/** Stores a message; the response runs outside of the intake queue, so that the next messages need not wait for it. */
async function takeIn(ctx: BotContext, message: Message): Promise<Respond> {
  const session = sessionOf(message.channel);
  const wordsOf = (language: ResolvedSettings['language']['value']) =>
    wordsIn(language, message.guild?.preferredLocale ?? 'en');
  // As far as the message alone tells; the store knows more, but it may fail.
  let incoming: Incoming = { message, session, addressed: isAddressed(message), words: wordsOf('auto') };
  try {
    incoming = { ...incoming, addressed: await isForBot(ctx, message, session) };
    const settings = await ctx.chatbot.settings(session);
    const known: IncomingWithSettings = { ...incoming, settings, words: wordsOf(settings.language.value) };
    incoming = known;
    await ctx.backfill.recordEdge(session.id);
    const respond = await receive(ctx, known);
    return () => respond().catch((error) => reportFailure(ctx, known, error));
  } catch (error) {
    return () => reportFailure(ctx, incoming, error);
  }
}

/**
 * Whether a message is for the bot: by itself, or because it was said in a thread that was opened from an answer of the bot
 * or in which the bot was addressed before, which the store knows also after a restart.
 */
async function isForBot(ctx: BotContext, message: Message, session: Session): Promise<boolean> {
  if (isAddressed(message)) return true;
  if (session.parentId === null || !message.channel.isThread()) return false;
  if (await ctx.chatbot.sessions.wasAddressed(session.id)) return true;
  if (message.channel.ownerId === message.client.user.id) return true;
  return (await ctx.chatbot.deliveries.answeredBy(session.parentId, message.channel.id)) !== null;
}

async function receive(ctx: BotContext, incoming: IncomingWithSettings): Promise<Respond> {
  const { message, session, addressed, settings, words } = incoming;
  const asks = addressed || settings.respond.value === 'always';
  if (asks || settings.listen.value === 'all') await storeThreadStarter(ctx, message, session);
  const admission = asks ? admitMessage(ctx, message, session, words) : null;
  const release = () => admission?.release();
  try {
    const mode = admission === null || admission.verdict === 'admitted' ? 'normal' : 'refused';
    const received = await ctx.chatbot.receive(toUserMessage(message, addressed), mode);
    if (received.kind === 'stored') {
      ctx.backfill.keepReceived(message);
      const attachments =
        message.attachments.size > 0
          ? ctx.downloads.add(session.id, readAttachments(ctx, incoming, received.toAnswer))
          : Promise.resolve();
      return () => respondTo(ctx, incoming, admission, received.toAnswer, attachments).finally(release);
    }
    release();
    if (received.kind !== 'opted-out' || !addressed) return async () => {};
    return () => explainOptOut(ctx, incoming, received.told);
  } catch (error) {
    release();
    throw error;
  }
}

/** Stores the message that a thread was opened from as its first one, when nothing of the thread is stored yet. */
async function storeThreadStarter(ctx: BotContext, message: Message, session: Session): Promise<void> {
  if (session.parentId === null || !message.channel.isThread()) return;
  if (await hasStoredMessages(ctx, session.id)) return;
  const starter = await fetchStarter(message.channel);
  if (starter === null || starter.id === message.id) return;
  const isOwn = starter.author.id === message.client.user.id;
  if (!isOwn && !isHumanMessage(starter)) return;
  const stored = { ...toUserMessage(starter, false), session };
  // The bot lacks the permission to read it.
  if (stored.text === NO_TEXT) return;
  await ctx.chatbot.receive(isOwn ? { ...stored, authorName: message.client.user.displayName } : stored, 'kept');
}

/** Null when the starter was deleted, or the bot may not see it. */
async function fetchStarter(thread: ThreadChannel): Promise<Message | null> {
  return thread.fetchStarterMessage().catch(() => null);
}

/** Downloads the attachments of a stored message and adds them to it. */
async function readAttachments(
  ctx: BotContext,
  { message, session, settings }: IncomingWithSettings,
  toAnswer: boolean,
): Promise<void> {
  const images = toAnswer && settings.vision.value ? readImages(message.attachments.values()) : [];
  if (hasTextFile(message)) await ctx.chatbot.edit(session, await editOf(message));
  ctx.pictures.keep(message.id, await images);
}

async function respondTo(
  ctx: BotContext,
  incoming: IncomingWithSettings,
  admission: Admission | null,
  toAnswer: boolean,
  attachments: Promise<void>,
): Promise<void> {
  await attachments;
  // Not awaited: the notice may queue behind those of other channels.
  if (!incoming.addressed) void announce(ctx, incoming);
  if (toAnswer) await answer(ctx, incoming);
  else if (admission !== null) await refuse(ctx, incoming, admission);
}

async function answer(ctx: BotContext, { message, session, words }: Incoming): Promise<void> {
  try {
    if (!message.channel.isSendable()) return;
    await answerMessage(ctx, message, channelTarget(ctx, { session, channel: message.channel, words }));
  } finally {
    ctx.pictures.drop(message.id);
  }
}

/** Tells a channel that all its messages are stored; where that is not possible now, with a later message. */
async function announce(ctx: BotContext, { message, session, settings, words }: IncomingWithSettings): Promise<void> {
  const { value, since } = settings.listen;
  if (value !== 'all' || wasTriedLately(ctx, session, since)) return;
  if (!message.channel.isSendable() || !canWrite(ctx, message)) return;
  await announceListening(ctx, session, since, message.channel, words).catch((error) =>
    ctx.logger.warn({ sessionId: session.id, error }, 'failed to announce that all messages are stored'),
  );
}

/** Tells why a question is not answered; where that was told lately, or nothing can be said, a mark shows that it was seen. */
async function refuse(ctx: BotContext, { message, addressed }: Incoming, admission: Admission): Promise<void> {
  const { verdict, sentence, reason } = admission;
  const target = noticeTarget(message);
  if (verdict === 'refused') {
    const once = { key: `refused ${reason}`, everyMs: REFUSAL_INTERVAL_MS };
    await sendNotice(ctx, target, sentence, { once, orMark: true });
  }
  if (verdict === 'stale' && (addressed || isNewest(ctx, message))) await addFailedMark(ctx, target);
  if (verdict !== 'silenced') return;
  if (ctx.cooldowns.tryStart(`silenced ${message.channelId}`, SILENCED_INTERVAL_MS)) await addFailedMark(ctx, target);
}

/** Of many missed messages that address nobody, the last one gets a mark. */
function isNewest(ctx: BotContext, { channelId }: Message): boolean {
  return ctx.intake.waiting(channelId) === 0;
}

/** Tells somebody who has opted out and addresses the bot why there is no answer: in words the first time, then by a mark. */
async function explainOptOut(ctx: BotContext, { message, session, words }: Incoming, told: boolean): Promise<void> {
  const target = noticeTarget(message);
  if (told) return void (await addFailedMark(ctx, target));
  // Recorded first, so that messages that follow at once get the mark.
  await ctx.chatbot.people.markTold(personScope(session), message.author.id);
  await sendNotice(ctx, target, words.chat.optedOut);
}

/** A message that could not be stored is not acknowledged: whoever addressed the bot is told, or sees a mark. */
async function reportFailure(ctx: BotContext, { message, addressed, words }: Incoming, error: unknown): Promise<void> {
  const once = { key: 'trouble', everyMs: FAILURE_INTERVAL_MS };
  if (addressed) await sendNotice(ctx, noticeTarget(message), errorMessageFor(words, error), { once, orMark: true });
  throw error;
}
