import { and, desc, eq, gte, isNotNull, sql } from 'drizzle-orm';
import { type Session, serverScope } from '../../conversation/session.js';
import type { Database } from './database.js';
import { messages, sessions, settings } from './schema.js';
import { deliveries, facts, optOuts } from './schema-community.js';

const FIELDS = { id: sessions.id, parentId: sessions.parentId, serverId: sessions.serverId };

/** Prepares what concerns places. */
export function preparePlaces(db: Database) {
  const said = (sessionId: string) => and(eq(messages.sessionId, sessionId), eq(messages.role, 'user'));
  const addressed = db
    .select({ addressed: sessions.addressed })
    .from(sessions)
    .where(eq(sessions.id, sql.placeholder('id')))
    .prepare();
  return {
    markAddressed: (id: string): void =>
      void db.update(sessions).set({ addressed: true }).where(eq(sessions.id, id)).run(),
    wasAddressed: (id: string): boolean => addressed.get({ id })?.addressed ?? false,
    platformIdsSince: (sessionId: string, fromAt: number, limit: number): string[] =>
      db
        .select({ id: messages.platformId })
        .from(messages)
        .where(and(said(sessionId), gte(messages.createdAt, fromAt)))
        .orderBy(desc(messages.seq))
        .limit(limit)
        .all()
        .map(({ id }) => id),
    servers: (): string[] =>
      db
        .selectDistinct({ id: sessions.serverId })
        .from(sessions)
        .where(isNotNull(sessions.serverId))
        .all()
        .flatMap(({ id }) => id ?? []),
    sessionsOfServer: (id: string): Session[] =>
      db.select(FIELDS).from(sessions).where(eq(sessions.serverId, id)).all(),
    childrenOf: (id: string): Session[] => db.select(FIELDS).from(sessions).where(eq(sessions.parentId, id)).all(),
    /** Lets go of all that belongs to a session beside its messages and summaries; what is left of it is its epoch. */
    strip(id: string): void {
      const nothing = { serverId: null, parentId: null, addressed: false, goneThrough: null };
      db.update(sessions).set(nothing).where(eq(sessions.id, id)).run();
      db.delete(deliveries).where(eq(deliveries.sessionId, id)).run();
      stripScope(db, id);
    },
    removeServer: (id: string): void => stripScope(db, serverScope(id)),
    loadFact: (name: string): string | null => db.select().from(facts).where(eq(facts.name, name)).get()?.value ?? null,
    saveFact(name: string, value: string | null): void {
      if (value === null) db.delete(facts).where(eq(facts.name, name)).run();
      else db.insert(facts).values({ name, value }).onConflictDoUpdate({ target: facts.name, set: { value } }).run();
    },
  };
}

function stripScope(db: Database, scopeId: string): void {
  db.delete(settings).where(eq(settings.scopeId, scopeId)).run();
  db.delete(optOuts).where(eq(optOuts.scopeId, scopeId)).run();
}
