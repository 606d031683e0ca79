import fc from 'fast-check';
import type { MessageState, Quote } from '../../src/conversation/message.js';
import type { Store, Turn } from '../../src/conversation/store.js';
import { aMessage, anAnswer, aSummary, openTurn } from '../support/conversation.js';

/** What a run of steps carries from one to the next. */
export type Run = { store: Store; turns: Turn[] };

/** One random step on a store; it returns what the store said. */
export type Step = { name: string; take: (run: Run) => Promise<unknown> };

/** The platform ids that steps give. */
export const IDS = ['1', '2', '3', '4', '5', '6', '7', '8'] as const;

const session = fc.constantFrom('discord:1', 'discord:2');
const id = fc.constantFrom(...IDS);
const author = fc.constantFrom('ada', 'ben', 'eve');
const seq = fc.nat(14);
const state = fc.constantFrom<MessageState>('heard', 'heard', 'pending', 'answered', 'failed');
const quote: fc.Arbitrary<Quote | null> = fc.option(
  fc.record({ platformId: id, authorId: author, authorName: author, text: fc.constantFrom('x', 'y') }),
);
const message = fc
  .record({ sessionId: session, platformId: id, authorId: author, text: id, quote, state, createdAt: seq })
  .map((over) => aMessage(over));

function step<T>(name: string, input: fc.Arbitrary<T>, take: (run: Run, value: T) => Promise<unknown>) {
  return input.map((value): Step => ({ name: `${name} ${JSON.stringify(value)}`, take: (run) => take(run, value) }));
}

/** Any step that a program might take, in proportions that let conversations grow. */
export const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: step('append', message, ({ store }, next) => store.append(next)) },
  { weight: 2, arbitrary: step('appendAll', fc.array(message), ({ store }, all) => store.appendAll(all)) },
  { weight: 6, arbitrary: step('turn', session, wholeTurn) },
  { weight: 2, arbitrary: step('open', session, openOnly) },
  { weight: 2, arbitrary: step('answer', fc.nat(3), (run, n) => onTurn(run, n, (s, turn) => answer(s, turn))) },
  { weight: 2, arbitrary: step('settle', fc.nat(3), (run, n) => onTurn(run, n, (s, turn) => s.settleTurn(turn))) },
  { weight: 1, arbitrary: step('fail', fc.nat(3), (run, n) => onTurn(run, n, (s, turn) => s.failTurn(turn))) },
  { weight: 5, arbitrary: step('fold', fc.record({ session, seq, drop: fc.boolean() }), fold) },
  { weight: 1, arbitrary: step('drop', seq, ({ store }, n) => store.dropSummary(n)) },
  { weight: 1, arbitrary: step('rewrite', fc.record({ session, seq }), rewrite) },
  {
    weight: 2,
    arbitrary: step('edit', fc.tuple(session, id, id), ({ store }, [s, p, text]) => store.edit(s, p, text)),
  },
  {
    weight: 3,
    arbitrary: step('erase', fc.tuple(session, fc.array(id, { maxLength: 2 }), seq), ({ store }, a) =>
      store.erase(...a),
    ),
  },
  { weight: 1, arbitrary: step('forgetAuthor', fc.tuple(session, author), ({ store }, a) => store.forgetAuthor(...a)) },
  {
    weight: 1,
    arbitrary: step('forgetLast', fc.tuple(session, fc.option(author)), ({ store }, a) => store.forgetLast(...a)),
  },
  { weight: 1, arbitrary: step('forgetSession', session, ({ store }, s) => store.forgetSession(s)) },
  { weight: 3, arbitrary: step('show', fc.tuple(session, id, fc.nat(1)), show) },
  { weight: 1, arbitrary: step('eraseAnswer', fc.tuple(session, id), ({ store }, a) => store.eraseAnswer(...a)) },
  { weight: 2, arbitrary: step('counts', fc.tuple(seq, seq), counts) },
  { weight: 2, arbitrary: step('sweep', fc.record({ session, at: seq, below: fc.option(seq), limit: seq }), sweep) },
  { weight: 1, arbitrary: step('sweepTombstones', seq, ({ store }, until) => store.sweepTombstones(until)) },
);

async function wholeTurn(run: Run, sessionId: string): Promise<unknown> {
  const turn = await openTurn(run.store, sessionId);
  return turn && [turn, await answer(run.store, turn), await run.store.settleTurn(turn)];
}

async function openOnly(run: Run, sessionId: string): Promise<unknown> {
  const turn = await openTurn(run.store, sessionId);
  if (turn) run.turns.push(turn);
  return turn;
}

function answer(store: Store, turn: Turn): Promise<unknown> {
  const counts = turn.questions.map(({ seq: of }) => ({ seq: of, tokens: 3, encoding: 'o200k_base' }));
  return store.storeAnswer(turn, anAnswer({ counts }));
}

async function onTurn(run: Run, n: number, act: (store: Store, turn: Turn) => Promise<unknown>) {
  const turn = run.turns.at(-1 - n);
  return turn && act(run.store, turn);
}

async function fold({ store }: Run, given: { session: string; seq: number; drop: boolean }): Promise<unknown> {
  const { epoch, revision, summary } = await store.loadHistory(given.session, { summary: true });
  const next = aSummary(given.seq, { sessionId: given.session, createdAt: given.seq });
  return store.saveSummary(next, { epoch, revision, previousId: summary?.id ?? null, dropCovered: given.drop });
}

async function rewrite({ store }: Run, given: { session: string; seq: number }): Promise<unknown> {
  const { epoch, summaries } = await store.sessionFacts(given.session);
  const old = summaries.find(({ dirty }) => dirty);
  if (old === undefined) return null;
  const { id: _, dirty: __, ...rest } = old;
  return store.rewriteSummary(old.id, { ...rest, text: 'rewritten' }, epoch);
}

function counts({ store }: Run, [of, tokens]: [number, number]): Promise<void> {
  return store.saveCounts([{ seq: of, tokens, encoding: 'o200k_base' }]);
}

function show({ store }: Run, [sessionId, answerTo, chunk]: [string, string, number]) {
  return store.planDelivery({ sessionId, answerTo, chunk, nonce: `${answerTo}.${chunk}`, messageId: null });
}

function sweep({ store }: Run, cut: { session: string; at: number; below: number | null; limit: number }) {
  return store.sweep(cut.session, { coveredUntil: cut.at, unreachedBelow: cut.below }, cut.limit);
}
