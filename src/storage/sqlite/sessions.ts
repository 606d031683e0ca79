import { asc, eq, gt, sql } from 'drizzle-orm';
import type { Session } from '../../conversation/session.js';
import type { PendingSession } from '../../conversation/store.js';
import type { Database } from './database.js';
import { messages, sessions } from './schema.js';

/** The numbers that guard a session; a session that was never opened has the first ones. */
export type SessionState = { epoch: number; revision: number; sweptThrough: number };

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
