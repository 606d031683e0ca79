import { and, asc, eq, sql } from 'drizzle-orm';
import { countedTextOf, type Message, type NewMessage, type TokenCount } from '../../conversation/message.js';
import { type Answer, type Turn, triggerOf } from '../../conversation/store.js';
import { type Database, inList, jsonList } from './connection.js';
import type { SaveCounts } from './messages.js';
import { prepareInsert, type SeqCounter, toMessage, toRow } from './rows.js';
import { messages } from './schema.js';
import type { Sessions } from './sessions.js';

/** The row of an answer that is being delivered; it carries its trigger's platform id. */
export function answerMessage(trigger: Message, answer: Answer): NewMessage {
  const { sessionId, platformId } = trigger;
  const { text, authorId, authorName, createdAt } = answer;
  return {
    sessionId,
    platformId,
    role: 'assistant',
    authorId,
    authorName,
    text,
    quote: null,
    createdAt,
    state: 'pending',
  };
}

/** The counts of what a turn asks, each with what was counted; others are left out. */
export function questionCounts({ questions }: Turn, counts: readonly TokenCount[]): TokenCount[] {
  return counts.flatMap((count) => {
    const question = questions.find(({ seq }) => seq === count.seq);
    return question === undefined ? [] : [{ countedText: countedTextOf(question), ...count }];
  });
}

/** A turn whose answer is stored already: it takes no question that came after that answer. */
export function resumedTurn(turn: Turn, answer: Message | null): Turn {
  if (answer === null) return turn;
  const questions = turn.questions.filter(({ seq }) => seq < answer.seq);
  return { ...turn, answerSeq: answer.seq, questions, answerTo: answer.platformId };
}

const SESSION = eq(messages.sessionId, sql.placeholder('sessionId'));
const SEQ = eq(messages.seq, sql.placeholder('seq'));
const PENDING = sql`${messages.state} = 'pending'`;
const FIRST_PENDING = sql`(select min(seq) from messages where session_id = ${sql.placeholder('sessionId')} and state = 'pending' and role = 'user')`;

/** Prepares the readings of a turn. */
function prepareTurnReadings(db: Database) {
  const { seq, role, state } = messages;
  return {
    /** What people said from the first waiting question on, oldest first. */
    questions: db
      .select()
      .from(messages)
      .where(and(SESSION, eq(role, 'user'), sql`${seq} >= ${FIRST_PENDING}`))
      .orderBy(asc(seq))
      .prepare(),
    /** A question and its answer, whichever are stored. */
    exchange: db
      .select({ seq, role, state })
      .from(messages)
      .where(and(SESSION, eq(messages.platformId, sql.placeholder('platformId'))))
      .prepare(),
    /** The answer that stands under a number. */
    answer: db
      .select({ state })
      .from(messages)
      .where(and(SEQ, SESSION, eq(role, 'assistant')))
      .prepare(),
  };
}

/** Prepares the writes of a turn. */
function prepareTurnWrites(db: Database) {
  return {
    /** Drops answers to these questions that were not delivered. */
    dropUndelivered: db
      .delete(messages)
      .where(
        and(
          SESSION,
          PENDING,
          eq(messages.role, 'assistant'),
          inList(messages.platformId, sql.placeholder('platformIds')),
        ),
      )
      .prepare(),
    /** Ends the waiting of these rows. */
    settle: db
      .update(messages)
      .set({ state: sql`${sql.placeholder('state')}` })
      .where(and(SESSION, PENDING, inList(messages.seq, sql.placeholder('seqs'))))
      .prepare(),
  };
}

/** Prepares what a turn does. */
export function prepareTurns(db: Database, sessions: Sessions, seqs: SeqCounter, saveCounts: SaveCounts) {
  const insert = prepareInsert(db);
  const readings = prepareTurnReadings(db);
  const writes = prepareTurnWrites(db);

  /** True while the trigger waits and no answer to it was delivered. */
  function isOpen({ sessionId, epoch }: Turn, { platformId, seq }: Message): boolean {
    if (sessions.state(sessionId).epoch !== epoch) return false;
    const rows = readings.exchange.all({ sessionId, platformId });
    return rows.some((row) => row.seq === seq) && rows.every((row) => row.state === 'pending');
  }

  return {
    open(sessionId: string): Turn | null {
      const rows = readings.questions.all({ sessionId });
      if (rows.length === 0) return null;
      const { epoch } = sessions.state(sessionId);
      return { sessionId, epoch, answerSeq: seqs.take(), questions: rows.map(toMessage) };
    },
    storeAnswer(turn: Turn, answer: Answer): Message | null {
      const trigger = triggerOf(turn);
      if (trigger === undefined || !isOpen(turn, trigger)) return null;
      writes.dropUndelivered.run({ sessionId: turn.sessionId, platformIds: platformIds(turn) });
      const { tokens, encoding, counts } = answer;
      const row = { ...toRow(answerMessage(trigger, answer), turn.answerSeq), tokens, encoding };
      insert.run(row);
      saveCounts(questionCounts(turn, counts));
      return toMessage(row);
    },
    settle({ sessionId, answerSeq, questions }: Turn): boolean {
      const seqs = jsonList([...questions.map(({ seq }) => seq), answerSeq]);
      writes.settle.run({ sessionId, state: 'answered', seqs });
      return readings.answer.get({ sessionId, seq: answerSeq }) !== undefined;
    },
    fail(turn: Turn): void {
      const { sessionId, questions } = turn;
      writes.dropUndelivered.run({ sessionId, platformIds: platformIds(turn) });
      writes.settle.run({ sessionId, state: 'failed', seqs: jsonList(questions.map(({ seq }) => seq)) });
    },
  };
}

function platformIds({ questions, answerTo }: Turn): string {
  return jsonList([...questions.map(({ platformId }) => platformId), ...(answerTo === undefined ? [] : [answerTo])]);
}
