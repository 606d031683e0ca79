import { prepareFolding, prepareSweeping } from './compaction.js';
import { type Client, queryBuilder } from './connection.js';
import { prepareDeliveries, prepareStaleDeliveries } from './deliveries.js';
import { prepareHistories, prepareReceivedThrough } from './history.js';
import { prepareInvalidation, prepareTurnSpans } from './invalidation.js';
import { prepareCounts, prepareMessages } from './messages.js';
import { prepareParticipants, preparePeople } from './people.js';
import { continueSeqCounter, prepareBulkInsert } from './rows.js';
import { preparePlaces, prepareSessions, prepareSettings } from './sessions.js';
import { prepareSummaries, summaryWrites } from './summaries.js';
import { prepareTurns } from './turns.js';
import { prepareUsage } from './usage.js';

/** The statements of a store, by concern; all synchronous, writes to be run in a transaction. */
export type Statements = ReturnType<typeof prepareStatements>;

/** Prepares every statement of a connection and joins the concerns. */
export function prepareStatements(client: Client) {
  const db = queryBuilder(client);
  const seqs = continueSeqCounter(client);
  const sessions = prepareSessions(db);
  const summaries = prepareSummaries(db);
  const writes = summaryWrites(db);
  const histories = prepareHistories(db, sessions, summaries);
  const span = prepareTurnSpans(db);
  const marks = prepareInvalidation(db, sessions, summaries, writes);
  const folding = prepareFolding({ db, sessions, summaries, writes, histories });
  const participants = prepareParticipants(db);
  const saveCounts = prepareCounts(db);
  return {
    db,
    seqs,
    sessions,
    summaries,
    writes,
    histories,
    heard: prepareReceivedThrough(db),
    folding,
    participants,
    saveCounts,
    bulk: prepareBulkInsert(client),
    messages: prepareMessages(db, sessions, seqs, participants),
    turns: prepareTurns(db, sessions, seqs, saveCounts),
    span,
    marks,
    deliveries: prepareDeliveries({ db, sessions, span, marks }),
    people: preparePeople(db),
    places: preparePlaces(db),
    usage: prepareUsage(db),
    settings: prepareSettings(db),
    sweeping: prepareSweeping({ db, sessions, summaries, folding, spent: prepareStaleDeliveries(db) }),
  };
}
