import { prepareCatchUpCursor } from './catch-up-cursor.js';
import { type Client, queryBuilder } from './connection.js';
import { prepareErasureEffects } from './erasure-effects.js';
import { prepareParticipants } from './participants.js';
import { continueSeqCounter, prepareBulkInsert } from './rows.js';
import { prepareSessions } from './sessions.js';
import { prepareSummaries } from './summaries.js';
import { prepareTurnQuestions } from './turn-questions.js';

/** Prepared statements that several modules share. All are synchronous; writes need an open transaction. */
export type Statements = ReturnType<typeof prepareStatements>;

export function prepareStatements(client: Client) {
  const db = queryBuilder(client);
  const sessions = prepareSessions(db);
  const summaries = prepareSummaries(db);
  return {
    db,
    sessions,
    summaries,
    seqs: continueSeqCounter(client),
    bulkInsert: prepareBulkInsert(client),
    participants: prepareParticipants(db),
    turnRows: prepareTurnQuestions(db),
    erasureEffects: prepareErasureEffects(db, sessions, summaries),
    cursor: prepareCatchUpCursor(db),
  };
}
