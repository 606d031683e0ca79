import { describe, expect, it } from 'vitest';
import { connect } from '../../src/storage/sqlite/connection.js';
import { MIGRATIONS_FOLDER, migrateDatabase, NO_PRE_MIGRATION_COPY } from '../../src/storage/sqlite/migrate.js';
import { createSqliteStore } from '../../src/storage/sqlite/store.js';
import { aMessage, aQuestion, converse, mustAppend, summarize } from '../support/conversation.js';
import { SESSION } from './contract/fixture.js';

/** A store that writes down every statement that it prepares. */
function aStoreThatTells() {
  const client = connect(':memory:', { synchronous: 'FULL', busyTimeout: 0 });
  migrateDatabase(client, MIGRATIONS_FOLDER, NO_PRE_MIGRATION_COPY);
  const statements = new Set<string>();
  const prepare = client.prepare.bind(client);
  client.prepare = ((source: string) => {
    statements.add(source);
    return prepare(source);
  }) as typeof client.prepare;
  const plan = (source: string) => {
    const nothing = [...source.matchAll(/\?/gu)].map(() => null);
    const steps = prepare(`EXPLAIN QUERY PLAN ${source}`).all(...nothing) as { detail: string }[];
    return steps.map(({ detail }) => detail);
  };
  return { store: createSqliteStore(client, () => {}), statements, plan };
}

describe('no statement of a turn', () => {
  it('reads more rows than it needs: each finds its way by an index', async () => {
    const { store, statements, plan } = aStoreThatTells();
    const { question, answer } = await converse(store);
    await store.loadHistory(SESSION.id, { summary: true, messages: 4 });
    await store.loadHistory(SESSION.id, { summary: false, tokens: 9 }, 99);
    await store.loadSpan(SESSION.id, 0, 9, 9);
    await store.loadSettings(['a', 'b']);
    await store.openSession(SESSION);
    await summarize(store, answer.seq);
    await store.edit(SESSION.id, question.platformId, 'edited');
    await mustAppend(store, aMessage());
    await store.erase(SESSION.id, [question.platformId], 1);
    await mustAppend(store, aQuestion());
    await store.forgetLast(SESSION.id, null);
    await store.forgetAuthor(SESSION.id, 'ada');
    await store.planDelivery({ sessionId: SESSION.id, answerTo: 'q', chunk: 0, nonce: 'n', messageId: 'm' });
    await store.answeredBy(SESSION.id, 'm');
    await mustAppend(store, aMessage());
    expect(await store.sweep(SESSION.id, { coveredUntil: 9, unreachedBelow: 99 }, 9)).toBe(2);
    await store.reachedFrom(SESSION.id, { summary: true, turns: 2 }, 9);
    await store.pendingSessions();
    await store.findMessage(SESSION.id, question.platformId);
    const scans = [...statements]
      .filter((source) => /^(select|insert|update|delete|with)/iu.test(source))
      .flatMap((source) => plan(source).map((step) => [step, source]))
      .filter(([step = '']) => /^SCAN (?!json_each|CONSTANT|messages USING INDEX messages_pending)/u.test(step));
    expect(statements.size).toBeGreaterThan(30);
    expect(scans).toEqual([]);
    await store.close();
  });

  it('of an erasure looks at other rows anew for each row that goes', async () => {
    const { store, statements, plan } = aStoreThatTells();
    const { question } = await converse(store);
    await store.forgetAuthor(SESSION.id, 'ada');
    await store.erase(SESSION.id, [question.platformId], 1);
    await store.forgetLast(SESSION.id, null);
    const loops = [...statements]
      .filter((source) => /^(select|update|delete).*"messages"/iu.test(source))
      .filter((source) => !source.startsWith('delete from "summaries"'))
      .flatMap((source) => plan(source).map((step) => [step, source]))
      .filter(([step = '']) => step.includes('CORRELATED'));
    expect(loops).toEqual([]);
    await store.close();
  });

  it('sorts: what is asked for in order is read in order', async () => {
    const { store, statements, plan } = aStoreThatTells();
    await converse(store);
    await store.loadHistory(SESSION.id, { summary: true });
    await store.sweep(SESSION.id, { coveredUntil: 9, unreachedBelow: 9 }, 9);
    const sorts = [...statements]
      .filter((source) => /^select/iu.test(source) && !source.includes('inner join'))
      .flatMap((source) => plan(source).map((step) => [step, source]))
      .filter(([step = '']) => step.includes('TEMP B-TREE'));
    expect(sorts).toEqual([]);
    await store.close();
  });
});
