import { CommandError } from '../conversation/errors.js';
import type { Message, Quote, UserMessage } from '../conversation/message.js';
import { personScope } from '../conversation/session.js';
import type { Dependencies } from './dependencies.js';
import { countMessages } from './recall.js';
import { settingsFor } from './settings.js';

/** What became of a message that a door took in. */
export type Received =
  | { kind: 'stored'; message: Message; toAnswer: boolean }
  /** Stored already, erased before it came, or not addressed to the bot where only that is remembered. */
  | { kind: 'duplicate' | 'ignored' }
  /** Its author has opted out: nothing was stored. `told` says whether they were told so since. */
  | { kind: 'opted-out'; told: boolean };

/** How a message is taken in: by the settings, but without an answer, or as background whatever is set. */
export type ReceiveMode = 'normal' | 'refused' | 'kept';

/**
 * Stores what was said, once; see {@link ReceiveMode} for what decides. Nothing of an author who has opted out is stored, nor
 * their words in the quote of somebody else's message.
 * @throws {CommandError} `empty-question` when the bot is addressed with nothing.
 */
export async function receive(deps: Dependencies, message: UserMessage, how: ReceiveMode): Promise<Received> {
  const { store } = deps;
  const { session, addressed, ...rest } = message;
  const { optedOut, told } = await store.optOut(personScope(session), rest.authorId);
  if (optedOut) return { kind: 'opted-out', told };
  if (addressed && rest.text.trim() === '') {
    throw new CommandError('empty-question', 'There is nothing to answer; write a question.');
  }
  const mode = addressed || how === 'kept' ? null : await settingsFor(store, session, deps.options);
  const meant = addressed || mode?.respond.value === 'always';
  if (!meant && how !== 'kept' && mode?.listen.value !== 'all') return { kind: 'ignored' };
  await store.openSession(session);
  const isNew = addressed && session.parentId !== null && !(await store.wasAddressed(session.id));
  if (isNew) await store.markAddressed(session.id);
  const toAnswer = meant && how === 'normal';
  const state = toAnswer ? 'pending' : meant ? 'failed' : 'heard';
  const quote = await heardQuote(deps, message);
  const stored = await store.append({ ...rest, quote, sessionId: session.id, role: 'user', state });
  return stored === null ? { kind: 'duplicate' } : { kind: 'stored', message: stored, toAnswer };
}

async function heardQuote({ store }: Dependencies, { session, quote }: UserMessage): Promise<Quote | null> {
  if (quote === null) return null;
  return (await store.optOut(personScope(session), quote.authorId)).optedOut ? null : quote;
}

/** Counts messages behind the intake; a count that fails is made up for by the next plan that needs it. */
export class BackgroundCounter {
  readonly #deps: Dependencies;
  #waiting: Message[] = [];
  #work: Promise<void> = Promise.resolve();

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Counts a message soon, together with others that come meanwhile. */
  add(message: Message): void {
    this.#waiting.push(message);
    if (this.#waiting.length > 1) return;
    this.#work = this.#work
      .then(() => this.#flush())
      .catch((error) => this.#deps.logger.warn({ error }, 'messages not counted yet'));
  }

  /** Resolves when what was added so far is counted. */
  settled(): Promise<void> {
    return this.#work;
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    const { counter, store, modelNamed, options } = this.#deps;
    await store.saveCounts(await countMessages(counter, batch, modelNamed(options.defaultModel).encoding));
  }
}
