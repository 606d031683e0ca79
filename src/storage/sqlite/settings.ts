import { and, eq, sql } from 'drizzle-orm';
import { serverScope } from '../../conversation/session.js';
import type { ConversationStore, SessionStore } from '../../conversation/store.js';
import { type Database, inList, jsonList } from './connection.js';
import { facts, optOuts, settings } from './schema.js';
import type { Statements } from './statements.js';
import type { Access } from './write-queue.js';

export function settingVerbs(
  { db }: Statements,
  { read, write }: Access,
): Pick<ConversationStore, 'loadSettings' | 'saveSetting'> &
  Pick<SessionStore, 'removeServer' | 'loadFact' | 'saveFact'> {
  const ofScopes = db
    .select()
    .from(settings)
    .where(inList(settings.scopeId, sql.placeholder('scopeIds')))
    .prepare();
  return {
    loadSettings: (scopeIds) => read(() => ofScopes.all({ scopeIds: jsonList(scopeIds) })),
    saveSetting: (scopeId, key, value, updatedAt) =>
      write('setting', () => {
        const ours = and(eq(settings.scopeId, scopeId), eq(settings.key, key));
        if (value === undefined) return void db.delete(settings).where(ours).run();
        db.insert(settings)
          .values({ scopeId, key, value, updatedAt })
          .onConflictDoUpdate({ target: [settings.scopeId, settings.key], set: { value, updatedAt } })
          .run();
      }),
    removeServer: (serverId) => write('forget', () => deleteScope(db, serverScope(serverId))),
    loadFact: (name) => read(() => db.select().from(facts).where(eq(facts.name, name)).get()?.value ?? null),
    saveFact: (name, value) =>
      write('fact', () => {
        if (value === null) return void db.delete(facts).where(eq(facts.name, name)).run();
        db.insert(facts).values({ name, value }).onConflictDoUpdate({ target: facts.name, set: { value } }).run();
      }),
  };
}

export function deleteScope(db: Database, scopeId: string): void {
  db.delete(settings).where(eq(settings.scopeId, scopeId)).run();
  db.delete(optOuts).where(eq(optOuts.scopeId, scopeId)).run();
}
