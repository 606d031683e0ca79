import type { NewSummary } from '../../src/conversation/history.js';
import type { Message, NewMessage, Quote } from '../../src/conversation/message.js';
import type { Session } from '../../src/conversation/session.js';
import type { Answer, ConversationStore, Store, Turn } from '../../src/conversation/store.js';

let made = 0;

/** A platform id that no other builder has given out in this process. */
export function anId(): string {
  made += 1;
  return String(1_000_000_000_000_000_000n + BigInt(made));
}

/** A text channel of a server. */
export function aSession(over: Partial<Session> = {}): Session {
  return { id: 'discord:100', parentId: null, serverId: '900', ...over };
}

/** Something that Ada said and that was answered. */
export function aMessage(over: Partial<NewMessage> = {}): NewMessage {
  const platformId = over.platformId ?? anId();
  return {
    sessionId: 'discord:100',
    platformId,
    role: 'user',
    authorId: 'ada',
    authorName: 'Ada',
    text: `message ${platformId}`,
    quote: null,
    createdAt: 1_000,
    state: 'answered',
    ...over,
  };
}

/** A question of Ada's that waits for its answer. */
export function aQuestion(over: Partial<NewMessage> = {}): NewMessage {
  return aMessage({ state: 'pending', ...over });
}

/** Talk that nobody addressed to the bot. */
export function someTalk(over: Partial<NewMessage> = {}): NewMessage {
  return aMessage({ state: 'heard', authorId: 'ben', authorName: 'Ben', ...over });
}

/** An answer of the bot's, without counts of its questions. */
export function anAnswer(over: Partial<Answer> = {}): Answer {
  return {
    text: 'the answer',
    authorId: 'bot',
    authorName: 'Keepsake',
    createdAt: 2_000,
    tokens: 7,
    encoding: 'o200k_base',
    counts: [],
    ...over,
  };
}

/** What a reply to a message carries of it. */
export function aQuoteOf({ platformId, authorId, authorName, text }: Quote): Quote {
  return { platformId, authorId, authorName, text };
}

/** A summary of everything through `throughSeq`. */
export function aSummary(throughSeq: number, over: Partial<NewSummary> = {}): NewSummary {
  return {
    sessionId: 'discord:100',
    text: `what was said through ${throughSeq}`,
    tokens: 20,
    encoding: 'o200k_base',
    fromSeq: 1,
    throughSeq,
    fromAt: 1_000,
    throughAt: 2_000,
    model: 'scripted',
    createdAt: 3_000,
    ...over,
  };
}

/** Stores a message. @throws when the store has it already. */
export async function mustAppend(store: ConversationStore, message: NewMessage): Promise<Message> {
  const kept = await store.append(message);
  if (kept === null) throw new Error(`message ${message.platformId} was not stored`);
  return kept;
}

/** The turn that waits in a session; null when none does. */
export async function openTurn(store: Store, sessionId: string): Promise<Turn | null> {
  return (await store.unfinishedAnswer(sessionId))?.turn ?? null;
}

/** Carries out a whole turn: asked, answered, delivered. */
export async function converse(
  store: Store,
  question: Partial<NewMessage> = {},
  answer: Partial<Answer> = {},
): Promise<{ question: Message; answer: Message }> {
  const asked = await mustAppend(store, aQuestion(question));
  const turn = await openTurn(store, asked.sessionId);
  const given = turn && (await store.storeAnswer(turn, anAnswer(answer)));
  if (!turn || !given || !(await store.settleTurn(turn))) throw new Error('the turn was not carried out');
  return { question: { ...asked, state: 'answered' }, answer: { ...given, state: 'answered' } };
}

/** Saves a summary of all through `throughSeq` against the store's present state. */
export async function summarize(
  store: ConversationStore,
  throughSeq: number,
  over: Partial<NewSummary> & { dropCovered?: boolean } = {},
): Promise<boolean> {
  const { dropCovered = false, ...rest } = over;
  const next = aSummary(throughSeq, rest);
  const { epoch, revision, summary } = await store.loadHistory(next.sessionId, { summary: true, messages: 0 });
  return store.saveSummary(next, { epoch, revision, previousId: summary?.id ?? null, dropCovered });
}
