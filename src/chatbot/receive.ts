import { CommandError } from '../conversation/errors.js';
import type { Message, Quote, UserMessage } from '../conversation/message.js';
import { personScope } from '../conversation/session.js';
import type { Dependencies } from './dependencies.js';
import { settingsFor } from './settings.js';

/** The result of receiving a message. */
export type Received =
  | { kind: 'stored'; message: Message; toAnswer: boolean }
  /** Stored already, erased before it came, or not addressed to the bot where only such messages are stored. */
  | { kind: 'duplicate' | 'ignored' }
  /** Its author has opted out, and nothing was stored; `told` says whether they were notified since. */
  | { kind: 'opted-out'; told: boolean };

/** `refused` receives a message as the settings say, but without an answer; `kept` stores it whatever is set, unanswered. */
export type ReceiveMode = 'normal' | 'refused' | 'kept';

/**
 * Stores a message once. Nothing of an author who has opted out is stored, nor their words in the quote of somebody else's
 * message.
 */
export async function receive(deps: Dependencies, message: UserMessage, mode: ReceiveMode): Promise<Received> {
  const { store } = deps;
  const { session, addressed, ...rest } = message;
  const { optedOut, told } = await store.optOut(personScope(session), rest.authorId);
  if (optedOut) return { kind: 'opted-out', told };
  if (addressed && rest.text.trim() === '') {
    throw new CommandError('empty-question', 'There is nothing to answer; write a question.');
  }
  const settings = addressed || mode === 'kept' ? null : await settingsFor(store, session, deps.options);
  const isQuestion = addressed || settings?.respond.value === 'always';
  if (!isQuestion && mode !== 'kept' && settings?.listen.value !== 'all') return { kind: 'ignored' };
  await store.openSession(session);
  const isNewThread = addressed && session.parentId !== null && !(await store.wasAddressed(session.id));
  if (isNewThread) await store.markAddressed(session.id);
  const toAnswer = isQuestion && mode === 'normal';
  const state = toAnswer ? 'pending' : isQuestion ? 'failed' : 'heard';
  const quote = await storableQuote(deps, message);
  const stored = await store.append({ ...rest, quote, sessionId: session.id, role: 'user', state });
  return stored === null ? { kind: 'duplicate' } : { kind: 'stored', message: stored, toAnswer };
}

async function storableQuote({ store }: Dependencies, { session, quote }: UserMessage): Promise<Quote | null> {
  if (quote === null) return null;
  return (await store.optOut(personScope(session), quote.authorId)).optedOut ? null : quote;
}
