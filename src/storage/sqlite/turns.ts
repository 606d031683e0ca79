import type { Message } from '../../conversation/message.js';
import type { Answer, Turn } from '../../conversation/store.js';
import { triggerOf } from '../../conversation/turn.js';
import { answerMessage, questionCounts } from '../turn.js';
import type { Database } from './database.js';
import { prepareInsert } from './insert.js';
import { listed } from './lists.js';
import { toMessage, toRow } from './rows.js';
import type { Seqs } from './seqs.js';
import type { Sessions } from './sessions.js';
import type { SaveCounts } from './token-counts.js';
import { prepareTurnReadings, prepareTurnWrites } from './turn-statements.js';

/** Prepares what a turn does. */
export function prepareTurns(db: Database, sessions: Sessions, seqs: Seqs, saveCounts: SaveCounts) {
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
      const seqs = listed([...questions.map(({ seq }) => seq), answerSeq]);
      writes.settle.run({ sessionId, state: 'answered', seqs });
      return readings.answer.get({ sessionId, seq: answerSeq }) !== undefined;
    },
    fail(turn: Turn): void {
      const { sessionId, questions } = turn;
      writes.dropUndelivered.run({ sessionId, platformIds: platformIds(turn) });
      writes.settle.run({ sessionId, state: 'failed', seqs: listed(questions.map(({ seq }) => seq)) });
    },
  };
}

function platformIds({ questions, answerTo }: Turn): string {
  return listed([...questions.map(({ platformId }) => platformId), ...(answerTo === undefined ? [] : [answerTo])]);
}
