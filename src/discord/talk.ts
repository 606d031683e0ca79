import type { Message } from 'discord.js';
import type { UserMessage } from '../conversation/message.js';
import type { Session } from '../conversation/session.js';
import type { ResolvedSettings } from '../conversation/settings.js';
import type { Words } from '../words/en.js';
import { wordsFor } from '../words/index.js';
import { answerQuestion } from './answer-question.js';
import { readImages } from './attachments.js';
import type { Door } from './door.js';
import { sentenceOf } from './failures.js';
import { isTalk, sessionOf, toUserMessage } from './incoming.js';
import { isMeant } from './meant.js';
import { isOptedOut, personScope, respectOptOut } from './opt-out.js';
import { admit } from './refusal.js';
import { fullText, hasTextFile } from './render-content.js';
import { tell } from './tell.js';
import { keepStarter } from './thread-starter.js';

/** Takes in what was said: remembers what is to be remembered, and answers what is to be answered, or says why not. */
export async function handleMessage(door: Door, message: Message): Promise<void> {
  if (!isTalk(message)) return;
  const session = sessionOf(message.channel);
  const addressed = await isMeant(door, message, session);
  const settings = await door.chatbot.settings(session);
  const words = wordsIn(settings, message);
  if (await respectOptOut(door, message, session, addressed, words)) return;
  try {
    if (session.parentId !== null) await keepStarter(door, message, session);
    await hearAndAnswer(door, message, session, addressed, settings, words);
  } catch (error) {
    // What could not be stored is not acknowledged; whoever addressed the bot is told.
    if (addressed) await tell(message, sentenceOf(words, error));
    throw error;
  }
}

async function hearAndAnswer(
  door: Door,
  message: Message,
  session: Session,
  addressed: boolean,
  settings: ResolvedSettings,
  words: Words,
): Promise<void> {
  const asks = addressed || settings.respond.value === 'always';
  const place = asks ? admit(door, message, session, words) : null;
  const heard = await door.chatbot.hear(
    await translate(door, message, session, addressed),
    place?.refusal == null ? 'normal' : 'refused',
  );
  if (heard.kind !== 'stored') return place?.leave();
  if (place?.refusal != null) return void (await tell(message, place.refusal));
  if (hasTextFile(message)) await door.chatbot.edit(session, message.id, await fullText(message));
  if (!heard.toAnswer) return;
  try {
    if (settings.vision.value) door.pictures.keep(message.id, await readImages(message.attachments.values()));
    await answerQuestion(door, message, session, words);
  } finally {
    door.pictures.drop(message.id);
    place?.leave();
  }
}

/** A quote of somebody who has opted out is left out. */
async function translate(door: Door, message: Message, session: Session, addressed: boolean): Promise<UserMessage> {
  const said = toUserMessage(message, addressed);
  const hidden = said.quote !== null && (await isOptedOut(door, personScope(session), said.quote.authorId));
  return hidden ? { ...said, quote: null } : said;
}

/** Notices are in the language that is set, else in the server's own. */
export function wordsIn(settings: ResolvedSettings, message: Message): Words {
  const { value } = settings.language;
  return wordsFor(value === 'auto' ? (message.guild?.preferredLocale ?? 'en') : value);
}
