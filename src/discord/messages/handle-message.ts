import type { Message, ThreadChannel } from 'discord.js';
import { personScope, type Session } from '../../conversation/session.js';
import type { ResolvedSettings } from '../../conversation/settings.js';
import type { Words } from '../../words/en.js';
import { wordsFor } from '../../words/index.js';
import { answerMessage, FAILED_MARK, SILENCED_MARK } from '../answers/answer.js';
import { channelTarget } from '../answers/target.js';
import { isKnownSession } from '../shared/channels.js';
import { editOf, hasTextFile, NO_TEXT, readImages } from '../shared/content.js';
import type { BotContext } from '../shared/context.js';
import { isAddressed, isContentHidden, isHumanMessage, sessionOf, toUserMessage } from '../shared/incoming.js';
import { noticeOnce, react, replyNotice } from '../shared/notices.js';
import { sentenceOf } from '../shared/respond.js';
import { type Admission, admitMessage, canWrite } from './admission.js';
import { announceListening, wasTriedLately } from './listening-notice.js';

/**
 * Whether the bot is meant by a message: by itself, or because it was said in a thread that was opened from an answer of
 * the bot or in which the bot was addressed before, which the store knows also after a restart.
 */
async function isForBot(ctx: BotContext, message: Message, session: Session): Promise<boolean> {
  if (isAddressed(message)) return true;
  if (session.parentId === null || !message.channel.isThread()) return false;
  if (await ctx.chatbot.sessions.wasAddressed(session.id)) return true;
  if (message.channel.ownerId === message.client.user.id) return true;
  return (await ctx.chatbot.deliveries.answeredBy(session.parentId, message.channel.id)) !== null;
}

/** The reaction that somebody who has opted out gets, once they were told why. */
const OPTED_OUT_MARK = '\u{1F515}';

/** Says to somebody who has opted out and addresses the bot why there is no answer; where they were `told`, a mark does. */
async function explainOptOut(
  ctx: BotContext,
  message: Message,
  session: Session,
  told: boolean,
  words: Words,
): Promise<void> {
  if (told) return void (await react(ctx, message, OPTED_OUT_MARK));
  // Recorded first, so that what is said right after the sentence gets the mark.
  await ctx.chatbot.people.markTold(personScope(session), message.author.id);
  await replyNotice(ctx, message, words.chat.optedOut);
}

/** The mark of a question that is refused for a reason that was told lately. */
const REFUSED_MARK = '\u{270B}';
/** The mark of a question that came while the bot was away, and is too old to be answered now. */
const MISSED_MARK = '\u{1F4A4}';
/** How often a person, or a channel, is told the same reason why a question is refused, in milliseconds. */
const REFUSED_EVERY_MS = 30_000;
/** How often a place where nothing can be said shows that a question was seen, in milliseconds. */
const SILENCED_EVERY_MS = 60_000;

/** Says why a question is not answered; where that was said lately, or nothing can be said, a mark shows that it was seen. */
async function refuse(ctx: BotContext, message: Message, addressed: boolean, admission: Admission): Promise<void> {
  const { verdict, sentence, reason } = admission;
  if (verdict === 'stale' && (addressed || isNewest(ctx, message))) await react(ctx, message, MISSED_MARK);
  if (verdict === 'refused') {
    await noticeOnce(ctx, message, {
      key: `refused ${reason}`,
      everyMs: REFUSED_EVERY_MS,
      sentence,
      mark: REFUSED_MARK,
    });
  }
  const news = verdict === 'silenced' && ctx.cooldowns.tryStart(`silenced ${message.channelId}`, SILENCED_EVERY_MS);
  if (news) await react(ctx, message, SILENCED_MARK);
}

/** Of much talk that was missed and addressed to nobody, one mark at its end says enough. */
function isNewest(ctx: BotContext, { channelId }: Message): boolean {
  return ctx.intake.waiting(channelId) === 0;
}

/** Remembers the message that a thread was opened from as the thread's first one, when the thread is new to the store. */
async function keepStarter(ctx: BotContext, message: Message, session: Session): Promise<void> {
  if (session.parentId === null || !message.channel.isThread()) return;
  if (await isKnownSession(ctx, session.id)) return;
  const starter = await fetchStarter(message.channel);
  if (starter === null || starter.id === message.id) return;
  const mine = starter.author.id === message.client.user.id;
  if (!mine && !isHumanMessage(starter)) return;
  const said = { ...toUserMessage(starter, false), session };
  // Without the right to read it, there is nothing to remember.
  if (said.text === NO_TEXT) return;
  await ctx.chatbot.receive(mine ? { ...said, authorName: message.client.user.displayName } : said, 'kept');
}

/** A starter that is gone, or that the bot may not see, is none. */
async function fetchStarter(thread: ThreadChannel): Promise<Message | null> {
  return thread.fetchStarterMessage().catch(() => null);
}

/** A message that was said, where, whether the bot is meant by it, and in which words its author is told what fails. */
type Spoken = { message: Message; session: Session; addressed: boolean; words: Words };

/** A message that was said, with the settings that it was said under. */
type Said = Spoken & { settings: ResolvedSettings };

/** What is done about a message once it is stored. */
type Respond = () => Promise<void>;

/** How often a channel is told of the same trouble, in milliseconds. */
const TROUBLE_EVERY_MS = 60_000;

/** Takes in what was said: remembers what is to be remembered, and answers what is to be answered, or says why not. */
export async function handleMessage(ctx: BotContext, message: Message): Promise<void> {
  if (!isHumanMessage(message) || isContentHidden(message, ctx.options.messageContent)) return;
  const respond = await ctx.intake.run(message.channelId, () => takeIn(ctx, message));
  await respond();
}

/** Stores what was said; what is to be said to it comes after, so that what others say need not wait for that. */
async function takeIn(ctx: BotContext, message: Message): Promise<Respond> {
  const session = sessionOf(message.channel);
  // As far as the message alone tells; the store knows better, but it may fail.
  let spoken: Spoken = { message, session, addressed: isAddressed(message), words: wordsIn('auto', message) };
  try {
    spoken = { ...spoken, addressed: await isForBot(ctx, message, session) };
    const settings = await ctx.chatbot.settings(session);
    const said: Said = { ...spoken, settings, words: wordsIn(settings.language.value, message) };
    spoken = said;
    await ctx.gaps.recordEdge(session.id);
    const respond = await hear(ctx, said);
    return () => respond().catch((error) => tellTrouble(ctx, said, error));
  } catch (error) {
    return () => tellTrouble(ctx, spoken, error);
  }
}

/** What could not be stored is not acknowledged; whoever addressed the bot is told, or sees a mark. */
async function tellTrouble(ctx: BotContext, { message, addressed, words }: Spoken, error: unknown): Promise<void> {
  const notice = { key: 'trouble', everyMs: TROUBLE_EVERY_MS, sentence: sentenceOf(words, error), mark: FAILED_MARK };
  if (addressed) await noticeOnce(ctx, message, notice);
  throw error;
}

async function hear(ctx: BotContext, said: Said): Promise<Respond> {
  const { message, session, addressed, settings } = said;
  const asks = addressed || settings.respond.value === 'always';
  if (asks || settings.listen.value === 'all') await keepStarter(ctx, message, session);
  const admission = asks ? admitMessage(ctx, message, session, said.words) : null;
  const leave = () => admission?.leave();
  try {
    const how = admission === null || admission.verdict === 'admitted' ? 'normal' : 'refused';
    const heard = await ctx.chatbot.receive(toUserMessage(message, addressed), how);
    if (heard.kind === 'stored') {
      ctx.gaps.keepReceived(message);
      const carries = message.attachments.size > 0;
      const carried = carries ? ctx.downloads.add(session.id, readAlong(ctx, said, heard.toAnswer)) : Promise.resolve();
      return () => respond(ctx, said, admission, heard.toAnswer, carried).finally(leave);
    }
    leave();
    if (heard.kind !== 'opted-out' || !addressed) return async () => {};
    return () => explainOptOut(ctx, message, session, heard.told, said.words);
  } catch (error) {
    leave();
    throw error;
  }
}

/** Reads the files that a message carries; it is stored already, so that they are added to it. */
async function readAlong(ctx: BotContext, { message, session, settings }: Said, toAnswer: boolean): Promise<void> {
  const images = toAnswer && settings.vision.value ? readImages(message.attachments.values()) : [];
  if (hasTextFile(message)) await ctx.chatbot.edit(session, await editOf(message));
  ctx.pictures.keep(message.id, await images);
}

async function respond(
  ctx: BotContext,
  said: Said,
  admission: Admission | null,
  toAnswer: boolean,
  carried: Promise<void>,
): Promise<void> {
  await carried;
  // Not awaited: the channel may have to wait for others, and an answer need not.
  if (!said.addressed) void announce(ctx, said);
  if (toAnswer) await answer(ctx, said);
  else if (admission !== null) await refuse(ctx, said.message, said.addressed, admission);
}

/** What nobody addressed to the bot is kept, so the channel has to know; where that cannot be said now, it is later. */
async function announce(ctx: BotContext, { message, session, settings, words }: Said): Promise<void> {
  const { value, since } = settings.listen;
  if (value !== 'all' || wasTriedLately(ctx, session, since)) return;
  if (!message.channel.isSendable() || !canWrite(ctx, message)) return;
  await announceListening(ctx, session, since, message.channel, words).catch((error) =>
    ctx.logger.warn({ sessionId: session.id, error }, 'a channel was not told that all of it is remembered'),
  );
}

async function answer(ctx: BotContext, { message, session, words }: Said): Promise<void> {
  try {
    if (!message.channel.isSendable()) return;
    await answerMessage(ctx, message, channelTarget(ctx, { session, channel: message.channel, words }));
  } finally {
    ctx.pictures.drop(message.id);
  }
}

/** Notices are in the language that is set, else in the server's own. */
function wordsIn(language: ResolvedSettings['language']['value'], { guild }: Message): Words {
  return wordsFor(language === 'auto' ? (guild?.preferredLocale ?? 'en') : language);
}
