import type { Message } from 'discord.js';
import type { Session } from '../conversation/session.js';
import type { ResolvedSettings } from '../conversation/settings.js';
import type { Words } from '../words/en.js';
import { wordsFor } from '../words/index.js';
import { type Admission, admit } from './admission.js';
import { answerMessage } from './answer-question.js';
import { readImages } from './attachments.js';
import type { Door } from './door.js';
import { sentenceOf } from './failures.js';
import { isHidden, isTalk, sessionOf, toUserMessage } from './incoming.js';
import { isMeant } from './meant.js';
import { explainOptOut } from './opt-out.js';
import { editOf, hasTextFile } from './render-content.js';
import { channelRoom } from './room.js';
import { react, tell } from './tell.js';
import { keepStarter } from './thread-starter.js';

/** A message that was said, where, whether the bot is meant by it, and how it is spoken to. */
type Said = { message: Message; session: Session; addressed: boolean; settings: ResolvedSettings; words: Words };

/** What is done about a message once it is stored. */
type Respond = () => Promise<void>;

/** The mark of a question where the bot may not write. */
const SILENCED_MARK = '\u{1F910}';
/** The mark of a question that came while the bot was away, and is too old to be answered now. */
const MISSED_MARK = '\u{1F4A4}';
/** How often a session is told that nothing can be stored, in milliseconds. */
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
  const addressed = await isMeant(door, message, session);
  const settings = await door.chatbot.settings(session);
  const said: Said = { message, session, addressed, settings, words: wordsIn(settings, message) };
  await door.gaps.note(session.id);
  try {
    const respond = await hear(door, said);
    return () => respond().catch((error) => tellTrouble(door, said, error));
  } catch (error) {
    return () => tellTrouble(door, said, error);
  }
}

/** What could not be stored is not acknowledged; whoever addressed the bot is told, now and then. */
async function tellTrouble(door: Door, { message, session, addressed, words }: Said, error: unknown): Promise<void> {
  const news = addressed && door.mutes.first(`trouble ${session.id}`, TROUBLE_EVERY_MS);
  if (news) await tell(door, message, sentenceOf(words, error));
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
    if (heard.kind === 'stored') return () => respond(door, said, admission, heard.toAnswer).finally(leave);
    leave();
    if (heard.kind !== 'opted-out' || !addressed) return async () => {};
    return () => explainOptOut(door, message, session, heard.told, said.words);
  } catch (error) {
    leave();
    throw error;
  }
}

async function respond(door: Door, said: Said, admission: Admission | null, toAnswer: boolean): Promise<void> {
  const { message, session } = said;
  if (hasTextFile(message)) await door.chatbot.edit(session, await editOf(message));
  if (toAnswer) await answer(door, said);
  else if (admission !== null) await refuse(door, message, admission);
}

async function answer(door: Door, { message, session, settings, words }: Said): Promise<void> {
  if (!message.channel.isSendable()) return;
  try {
    if (settings.vision.value) door.pictures.keep(message.id, await readImages(message.attachments.values()));
    await answerMessage(door, message, channelRoom(door, { session, channel: message.channel, words }));
  } finally {
    door.pictures.drop(message.id);
  }
}

/** Where nothing can be said, a mark shows that the question was seen, now and then. */
async function refuse(door: Door, message: Message, { verdict, sentence }: Admission): Promise<void> {
  if (verdict === 'stale') await react(door, message, MISSED_MARK);
  if (verdict === 'refused') await tell(door, message, sentence);
  const news = verdict === 'silenced' && door.mutes.first(`silenced ${message.channelId}`, TROUBLE_EVERY_MS);
  if (news) await react(door, message, SILENCED_MARK);
}

/** Notices are in the language that is set, else in the server's own. */
function wordsIn(settings: ResolvedSettings, message: Message): Words {
  const { value } = settings.language;
  return wordsFor(value === 'auto' ? (message.guild?.preferredLocale ?? 'en') : value);
}
