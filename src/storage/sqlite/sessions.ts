import { and, asc, desc, eq, gt, gte, isNotNull, sql } from 'drizzle-orm';
import { type Session, serverScope } from '../../conversation/session.js';
import type { SettingKey, StoredSetting } from '../../conversation/settings.js';
import type { PendingSession } from '../../conversation/store.js';
import { type Database, inList, jsonList } from './connection.js';
import { deliveries, facts, messages, optOuts, sessions, settings } from './schema.js';

/** The numbers that guard a session; a session that was never opened has the first ones. */
type SessionState = { epoch: number; revision: number; sweptThrough: number };

const UNKNOWN: SessionState = { epoch: 0, revision: 0, sweptThrough: 0 };
const FIELDS = { id: sessions.id, parentId: sessions.parentId, serverId: sessions.serverId };
const BY_ID = eq(sessions.id, sql.placeholder('id'));
const NEXT_REVISION = sql`${sessions.revision} + 1`;
const NEXT_EPOCH = sql`${sessions.epoch} + 1`;

/** Readings and writes of the session rows; all synchronous, writes to be run in a transaction. */
export type Sessions = ReturnType<typeof prepareSessions>;

/** Prepares what concerns session rows. */
export function prepareSessions(db: Database) {
  const find = db.select(FIELDS).from(sessions).where(BY_ID).prepare();
  const { epoch, revision, sweptThrough } = sessions;
  const state = db.select({ epoch, revision, sweptThrough }).from(sessions).where(BY_ID).prepare();
  const id = sql.placeholder('id');
  const ensure = db.insert(sessions).values({ id }).onConflictDoNothing().prepare();
  const save = db
    .insert(sessions)
    .values({ id, parentId: sql.placeholder('parentId'), serverId: sql.placeholder('serverId') })
    .onConflictDoUpdate({
      target: sessions.id,
      set: { parentId: sql`excluded.parent_id`, serverId: sql`excluded.server_id` },
    })
    .prepare();
  const revise = db.update(sessions).set({ revision: NEXT_REVISION }).where(BY_ID).prepare();
  const forget = db.update(sessions).set({ revision: NEXT_REVISION, epoch: NEXT_EPOCH }).where(BY_ID).prepare();
  return {
    find: (id: string): Session | null => find.get({ id }) ?? null,
    list: (afterId: string, limit: number): Session[] =>
      db.select(FIELDS).from(sessions).where(gt(sessions.id, afterId)).orderBy(asc(sessions.id)).limit(limit).all(),
    state: (id: string): SessionState => state.get({ id }) ?? UNKNOWN,
    save: ({ id, parentId, serverId }: Session): void => void save.run({ id, parentId, serverId }),
    /** Makes the row of a session that messages came from before it was opened. */
    ensure: (id: string): void => void ensure.run({ id }),
    /** Notes that stored text was changed or erased. */
    revise: (id: string): void => void revise.run({ id }),
    /** Notes a forget: what was begun before it may not write after it. */
    forget(id: string): void {
      ensure.run({ id });
      forget.run({ id });
    },
    setSweptThrough(id: string, seq: number): void {
      db.update(sessions).set({ sweptThrough: seq }).where(eq(sessions.id, id)).run();
    },
  };
}

/** Sessions with waiting questions, and since when; those that wait longest come first. */
export function pendingSessions(db: Database): PendingSession[] {
  const oldestAt = sql<number>`min(${messages.createdAt})`;
  return db
    .select({ session: FIELDS, oldestAt })
    .from(messages)
    .innerJoin(sessions, eq(sessions.id, messages.sessionId))
    .where(sql`${messages.state} = 'pending' and ${messages.role} = 'user'`)
    .groupBy(sessions.id)
    .orderBy(oldestAt, sessions.id)
    .all();
}

/** Prepares what concerns settings. */
export function prepareSettings(db: Database) {
  const load = db
    .select()
    .from(settings)
    .where(inList(settings.scopeId, sql.placeholder('scopeIds')))
    .prepare();
  return {
    load: (scopeIds: readonly string[]): StoredSetting[] => load.all({ scopeIds: jsonList(scopeIds) }),
    save(scopeId: string, key: SettingKey, value: unknown, updatedAt: number): void {
      if (value === undefined) {
        db.delete(settings)
          .where(and(eq(settings.scopeId, scopeId), eq(settings.key, key)))
          .run();
        return;
      }
      const target = [settings.scopeId, settings.key];
      db.insert(settings)
        .values({ scopeId, key, value, updatedAt })
        .onConflictDoUpdate({ target, set: { value, updatedAt } })
        .run();
    },
  };
}

const PLACES_FIELDS = { id: sessions.id, parentId: sessions.parentId, serverId: sessions.serverId };

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
      db.select(PLACES_FIELDS).from(sessions).where(eq(sessions.serverId, id)).all(),
    childrenOf: (id: string): Session[] =>
      db.select(PLACES_FIELDS).from(sessions).where(eq(sessions.parentId, id)).all(),
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
