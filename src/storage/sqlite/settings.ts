import { and, eq, sql } from 'drizzle-orm';
import { serverScope } from '../../conversation/session.js';
import type { ConversationStore, PersonStore, SessionStore } from '../../conversation/store.js';
import { type Database, inList, jsonList } from './connection.js';
import type { StoreAccess } from './group-commit.js';
import { optOuts, settings } from './schema.js';
import type { Statements } from './statements.js';

export function settingVerbs(
  { db }: Statements,
  { read, write }: StoreAccess,
): Pick<ConversationStore, 'loadSettings' | 'saveSetting'> & Pick<SessionStore, 'removeServer'> {
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
    removeServer: (serverId) => write('forget', () => deleteSettingsAndOptOuts(db, serverScope(serverId))),
  };
}

/** Who has opted out of being stored, by scope. */
export function optOutVerbs(
  { db }: Statements,
  { read, write }: StoreAccess,
): Pick<PersonStore, 'setOptOut' | 'optOut' | 'markTold'> {
  const isOptOut = (scopeId: string, authorId: string) =>
    and(eq(optOuts.scopeId, scopeId), eq(optOuts.authorId, authorId));
  const { placeholder } = sql;
  // Prepared, since every message needs it.
  const optOut = db
    .select()
    .from(optOuts)
    .where(and(eq(optOuts.scopeId, placeholder('scopeId')), eq(optOuts.authorId, placeholder('authorId'))))
    .prepare();
  return {
    setOptOut: (scopeId, authorId, optedOut, at) =>
      write('opt-out', () => {
        if (optedOut) db.insert(optOuts).values({ scopeId, authorId, at }).onConflictDoNothing().run();
        else db.delete(optOuts).where(isOptOut(scopeId, authorId)).run();
      }),
    optOut: (scopeId, authorId) =>
      read(() => {
        const row = optOut.get({ scopeId, authorId });
        return { optedOut: row !== undefined, told: row?.told ?? false };
      }),
    markTold: (scopeId, authorId) =>
      write('opt-out', () => void db.update(optOuts).set({ told: true }).where(isOptOut(scopeId, authorId)).run()),
  };
}

export function deleteSettingsAndOptOuts(db: Database, scopeId: string): void {
  db.delete(settings).where(eq(settings.scopeId, scopeId)).run();
  db.delete(optOuts).where(eq(optOuts.scopeId, scopeId)).run();
}
