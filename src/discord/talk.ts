import type { Message } from 'discord.js';
import type { Session } from '../conversation/session.js';
import type { ResolvedSettings } from '../conversation/settings.js';
import type { Words } from '../words/en.js';
import { wordsFor } from '../words/index.js';
import { type Admission, admit, mayWrite } from './admission.js';
import { answerMessage } from './answer-question.js';
import { readImages } from './attachments.js';
import type { Door } from './door.js';
import { sentenceOf } from './failures.js';
import { isAddressed, isHidden, isTalk, sessionOf, toUserMessage } from './incoming.js';
import { FAILED_MARK } from './last-word.js';
import { announceOnce, wasTried } from './listening.js';
import { isMeant } from './meant.js';
import { explainOptOut } from './opt-out.js';
import { refuse } from './refuse.js';
import { editOf, hasTextFile } from './render-content.js';
import { channelRoom } from './room.js';
import { tellOnce } from './tell-once.js';
import { keepStarter } from './thread-starter.js';

/** A message that was said, where, whether the bot is meant by it, and in which words its author is told what fails. */
type Spoken = { message: Message; session: Session; addressed: boolean; words: Words };

/** A message that was said, with the settings that it was said under. */
type Said = Spoken & { settings: ResolvedSettings };

/** What is done about a message once it is stored. */
type Respond = () => Promise<void>;

/** How often a channel is told of the same trouble, in milliseconds. */
const TROUBLE_EVERY_MS = 60_000;

/** Takes in what was said: remembers what is to be remembered, and answers what is to be answered, or says why not. */
export async function handleMessage(door: Door, message: Message): Promise<void> {
  if (!isTalk(message) || isHidden(message, door.options.messageContent)) return;
  const respond = await door.intake.run(message.channelId, () => takeIn(door, message));
  await respond();
}

/** Stores what was said; what is to be said to it comes after, so that what others say need not wait for that. */
async function takeIn(door: Door, message: Message): Promise<Respond> {
  const session = sessionOf(message.channel);
  // As far as the message alone tells; the store knows better, but it may fail.
  let spoken: Spoken = { message, session, addressed: isAddressed(message), words: wordsIn('auto', message) };
  try {
    spoken = { ...spoken, addressed: await isMeant(door, message, session) };
    const settings = await door.chatbot.settings(session);
    const said: Said = { ...spoken, settings, words: wordsIn(settings.language.value, message) };
    spoken = said;
    await door.gaps.note(session.id);
    const respond = await hear(door, said);
    return () => respond().catch((error) => tellTrouble(door, said, error));
  } catch (error) {
    return () => tellTrouble(door, spoken, error);
  }
}

/** What could not be stored is not acknowledged; whoever addressed the bot is told, or sees a mark. */
async function tellTrouble(door: Door, { message, addressed, words }: Spoken, error: unknown): Promise<void> {
  const notice = { key: 'trouble', everyMs: TROUBLE_EVERY_MS, sentence: sentenceOf(words, error), mark: FAILED_MARK };
  if (addressed) await tellOnce(door, message, notice);
  throw error;
}

async function hear(door: Door, said: Said): Promise<Respond> {
  const { message, session, addressed, settings } = said;
  const asks = addressed || settings.respond.value === 'always';
  if (asks || settings.listen.value === 'all') await keepStarter(door, message, session);
  const admission = asks ? admit(door, message, session, said.words) : null;
  const leave = () => admission?.leave();
  try {
    const how = admission === null || admission.verdict === 'admitted' ? 'normal' : 'refused';
    const heard = await door.chatbot.hear(toUserMessage(message, addressed), how);
    if (heard.kind === 'stored') {
      door.gaps.heard(message);
      const carries = message.attachments.size > 0;
      const carried = carries
        ? door.downloads.add(session.id, readAlong(door, said, heard.toAnswer))
        : Promise.resolve();
      return () => respond(door, said, admission, heard.toAnswer, carried).finally(leave);
    }
    leave();
    if (heard.kind !== 'opted-out' || !addressed) return async () => {};
    return () => explainOptOut(door, message, session, heard.told, said.words);
  } catch (error) {
    leave();
    throw error;
  }
}

/** Reads the files that a message carries; it is stored already, so that they are added to it. */
async function readAlong(door: Door, { message, session, settings }: Said, toAnswer: boolean): Promise<void> {
  const images = toAnswer && settings.vision.value ? readImages(message.attachments.values()) : [];
  if (hasTextFile(message)) await door.chatbot.edit(session, await editOf(message));
  door.pictures.keep(message.id, await images);
}

async function respond(
  door: Door,
  said: Said,
  admission: Admission | null,
  toAnswer: boolean,
  carried: Promise<void>,
): Promise<void> {
  await carried;
  // Not awaited: the channel may have to wait for others, and an answer need not.
  if (!said.addressed) void announce(door, said);
  if (toAnswer) await answer(door, said);
  else if (admission !== null) await refuse(door, said.message, said.addressed, admission);
}

/** What nobody addressed to the bot is kept, so the channel has to know; where that cannot be said now, it is later. */
async function announce(door: Door, { message, session, settings, words }: Said): Promise<void> {
  const { value, since } = settings.listen;
  if (value !== 'all' || wasTried(door, session, since)) return;
  if (!message.channel.isSendable() || !mayWrite(door, message)) return;
  await announceOnce(door, session, since, message.channel, words).catch((error) =>
    door.logger.warn({ sessionId: session.id, error }, 'a channel was not told that all of it is remembered'),
  );
}

async function answer(door: Door, { message, session, words }: Said): Promise<void> {
  try {
    if (!message.channel.isSendable()) return;
    await answerMessage(door, message, channelRoom(door, { session, channel: message.channel, words }));
  } finally {
    door.pictures.drop(message.id);
  }
}

/** Notices are in the language that is set, else in the server's own. */
function wordsIn(language: ResolvedSettings['language']['value'], { guild }: Message): Words {
  return wordsFor(language === 'auto' ? (guild?.preferredLocale ?? 'en') : language);
}
