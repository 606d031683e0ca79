import type { Client } from './database.js';

/** Transactions of one connection, never open across an `await`. */
export type Transaction = {
  /** Runs all or nothing; takes the write lock at once, so that a reading is never older than the write. */
  run<T>(work: () => T): T;
  /** Runs all or nothing within `run`, which goes on either way. */
  nested<T>(work: () => T): T;
  /** False when the database itself has rolled everything back. */
  active(): boolean;
};

/** Prepares the statements of transactions on a connection. */
export function openTransaction(client: Client): Transaction {
  const begin = client.prepare('BEGIN IMMEDIATE');
  const commit = client.prepare('COMMIT');
  const rollback = client.prepare('ROLLBACK');
  const savepoint = client.prepare('SAVEPOINT write');
  const release = client.prepare('RELEASE write');
  const rollbackTo = client.prepare('ROLLBACK TO write');
  return {
    run(work) {
      begin.run();
      try {
        const result = work();
        commit.run();
        return result;
      } catch (error) {
        if (client.inTransaction) rollback.run();
        throw error;
      }
    },
    nested(work) {
      savepoint.run();
      try {
        const result = work();
        release.run();
        return result;
      } catch (error) {
        if (client.inTransaction) {
          rollbackTo.run();
          release.run();
        }
        throw error;
      }
    },
    active: () => client.inTransaction,
  };
}
