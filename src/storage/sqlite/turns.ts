import { and, asc, eq, sql } from 'drizzle-orm';
import { countedTextOf, type Message, type NewMessage, type TokenCount } from '../../conversation/message.js';
import {
  type Answer,
  type ConversationStore,
  type DeliveryStore,
  type Turn,
  triggerIdOf,
  triggerOf,
  type UnfinishedAnswer,
} from '../../conversation/store.js';
import { type Database, inList, jsonList, limitOf } from './connection.js';
import { prepareDeliveryList } from './deliveries.js';
import type { StoreAccess } from './group-commit.js';
import { prepareSaveCounts } from './message-writes.js';
import { prepareInsert, toMessage, toRow } from './rows.js';
import { messages, sessions } from './schema.js';
import { SESSION_FIELDS } from './sessions.js';
import type { Statements } from './statements.js';

export function turnVerbs(
  statements: Statements,
  { read, write }: StoreAccess,
): Pick<ConversationStore, 'storeAnswer' | 'settleTurn' | 'failTurn' | 'pendingSessions'> &
  Pick<DeliveryStore, 'unfinishedAnswer'> {
  const { db } = statements;
  const { settle, dropUndelivered, answerAt } = prepareEndings(db);
  const storeAnswer = prepareStoreAnswer(statements, dropUndelivered);
  const unfinishedAnswer = prepareUnfinishedAnswer(statements);
  return {
    unfinishedAnswer: (sessionId) => read(() => unfinishedAnswer(sessionId)),
    storeAnswer: (turn, answer) => write('answer', () => storeAnswer(turn, answer)),
    settleTurn: ({ sessionId, answerSeq, questions }) =>
      write('settle', () => {
        settle(sessionId, [...questions.map(({ seq }) => seq), answerSeq], 'answered');
        return answerAt(sessionId, answerSeq);
      }),
    failTurn: (turn) =>
      write('fail', () => {
        dropUndelivered(turn);
        settle(
          turn.sessionId,
          turn.questions.map(({ seq }) => seq),
          'failed',
        );
      }),
    pendingSessions: () =>
      read(() => {
        const oldestAt = sql<number>`min(${messages.createdAt})`;
        return db
          .select({ session: SESSION_FIELDS, oldestAt })
          .from(messages)
          .innerJoin(sessions, eq(sessions.id, messages.sessionId))
          .where(and(PENDING, eq(messages.role, 'user')))
          .groupBy(sessions.id)
          .orderBy(oldestAt, sessions.id)
          .all();
      }),
  };
}

const SESSION = eq(messages.sessionId, sql.placeholder('sessionId'));
/** A literal, so that SQLite can use the partial index. */
const PENDING = sql`${messages.state} = 'pending'`;
const ANSWER = eq(messages.role, 'assistant');

function prepareUnfinishedAnswer({ db, sessions, seqs }: Statements): (sessionId: string) => UnfinishedAnswer | null {
  const deliveriesOf = prepareDeliveryList(db);
  const firstPending = sql`(select min(seq) from messages where session_id = ${sql.placeholder('sessionId')} and state = 'pending' and role = 'user')`;
  const fromFirstPending = db
    .select()
    .from(messages)
    .where(and(SESSION, eq(messages.role, 'user'), sql`${messages.seq} >= ${firstPending}`))
    .orderBy(asc(messages.seq))
    .prepare();
  const undelivered = db
    .select()
    .from(messages)
    .where(and(SESSION, PENDING, ANSWER))
    .orderBy(asc(messages.seq))
    .limit(limitOf(1))
    .prepare();
  return (sessionId) => {
    const questions = fromFirstPending.all({ sessionId }).map(toMessage);
    if (questions.length === 0) return null;
    const row = undelivered.get({ sessionId });
    const answer = row === undefined ? null : toMessage(row);
    const { epoch } = sessions.state(sessionId);
    const turn = resumedTurn({ sessionId, epoch, answerSeq: seqs.take(), questions }, answer);
    return { turn, answer, deliveries: deliveriesOf(sessionId, triggerIdOf(turn)) };
  };
}

function prepareStoreAnswer(
  { db, sessions }: Statements,
  dropUndelivered: (turn: Turn) => void,
): (turn: Turn, answer: Answer) => Message | null {
  const insert = prepareInsert(db);
  const saveCounts = prepareSaveCounts(db);
  /** A question and its answer, whichever are stored. */
  const exchange = db
    .select({ seq: messages.seq, state: messages.state })
    .from(messages)
    .where(and(SESSION, eq(messages.platformId, sql.placeholder('platformId'))))
    .prepare();

  /** Tells whether the trigger is pending and no answer to it was delivered. */
  function isOpen({ sessionId, epoch }: Turn, { platformId, seq }: Message): boolean {
    if (sessions.state(sessionId).epoch !== epoch) return false;
    const rows = exchange.all({ sessionId, platformId });
    return rows.some((row) => row.seq === seq) && rows.every((row) => row.state === 'pending');
  }

  return (turn, answer) => {
    const trigger = triggerOf(turn);
    if (trigger === undefined || !isOpen(turn, trigger)) return null;
    dropUndelivered(turn);
    const { tokens, encoding, counts } = answer;
    const row = { ...toRow(answerMessage(trigger, answer), turn.answerSeq), tokens, encoding };
    insert.run(row);
    saveCounts(questionCounts(turn, counts));
    return toMessage(row);
  };
}

function prepareEndings(db: Database) {
  const drop = db
    .delete(messages)
    .where(and(SESSION, PENDING, ANSWER, inList(messages.platformId, sql.placeholder('platformIds'))))
    .prepare();
  const setState = db
    .update(messages)
    .set({ state: sql`${sql.placeholder('state')}` })
    .where(and(SESSION, PENDING, inList(messages.seq, sql.placeholder('seqs'))))
    .prepare();
  const answer = db
    .select({ seq: messages.seq })
    .from(messages)
    .where(and(SESSION, ANSWER, eq(messages.seq, sql.placeholder('seq'))))
    .prepare();
  return {
    /** Deletes answers to a turn's questions that were not delivered. */
    dropUndelivered({ sessionId, questions, answerTo }: Turn): void {
      const ids = [...questions.map(({ platformId }) => platformId), ...(answerTo === undefined ? [] : [answerTo])];
      drop.run({ sessionId, platformIds: jsonList(ids) });
    },
    /** Sets the state of pending rows. */
    settle: (sessionId: string, seqs: readonly number[], state: 'answered' | 'failed'): void =>
      void setState.run({ sessionId, state, seqs: jsonList(seqs) }),
    /** Tells whether an answer is stored under a `seq`. */
    answerAt: (sessionId: string, seq: number): boolean => answer.get({ sessionId, seq }) !== undefined,
  };
}

/** Builds the message of an answer that is being delivered; it carries its trigger's platform id. */
export function answerMessage(
  { sessionId, platformId }: Message,
  { text, authorId, authorName, createdAt }: Answer,
): NewMessage {
  const author = { authorId, authorName };
  return { sessionId, platformId, role: 'assistant', ...author, text, quote: null, createdAt, state: 'pending' };
}

/** Filters the counts of a turn's questions, and adds the text that was counted to each. */
export function questionCounts({ questions }: Turn, counts: readonly TokenCount[]): TokenCount[] {
  return counts.flatMap((count) => {
    const question = questions.find(({ seq }) => seq === count.seq);
    return question === undefined ? [] : [{ countedText: countedTextOf(question), ...count }];
  });
}

/** Limits a turn whose answer is stored already to the questions before that answer. */
export function resumedTurn(turn: Turn, answer: Message | null): Turn {
  if (answer === null) return turn;
  const questions = turn.questions.filter(({ seq }) => seq < answer.seq);
  return { ...turn, answerSeq: answer.seq, questions, answerTo: answer.platformId };
}
