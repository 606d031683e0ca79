import type { Message } from 'discord.js';
import type { Session } from '../conversation/session.js';
import type { Words } from '../words/en.js';
import type { Door } from './door.js';
import { personScope } from './opt-out.js';

/** A question's place among the answers under way, or the sentence that refuses it one. */
export type Admission = { refusal: string | null; leave(): void };

/** Decides whether a question may be answered now: not too fast for one person, not too many for a session or a server. */
export function admit(door: Door, message: Pick<Message, 'author'>, session: Session, words: Words): Admission {
  const { limits, chatbot, clock, options } = door;
  const refused = (refusal: string): Admission => ({ refusal, leave() {} });
  const scope = personScope(session);
  if (chatbot.waiting(session.id) >= options.queueLimit) return refused(words.limits.queueFull);
  const wait = limits.cooldown(scope, message.author.id, clock());
  if (wait > 0) return refused(words.limits.cooldown(Math.ceil(wait / 1_000)));
  const leave = limits.enter(scope);
  return leave === null ? refused(words.limits.serverBusy) : { refusal: null, leave };
}
