import { and, asc, desc, eq, gt, gte, isNotNull, sql } from 'drizzle-orm';
import type { Session } from '../../conversation/session.js';
import type { ConversationStore, SessionStore } from '../../conversation/store.js';
import type { Database } from './connection.js';
import type { StoreAccess } from './group-commit.js';
import { facts, messages, sessions } from './schema.js';
import type { Statements } from './statements.js';

export const SESSION_FIELDS = { id: sessions.id, parentId: sessions.parentId, serverId: sessions.serverId };

const BY_ID = eq(sessions.id, sql.placeholder('id'));

export function sessionVerbs(
  { db, sessions: rows }: Statements,
  { read, write }: StoreAccess,
): Pick<ConversationStore, 'openSession' | 'findSession' | 'listSessions'> &
  Pick<
    SessionStore,
    | 'markAddressed'
    | 'wasAddressed'
    | 'platformIdsSince'
    | 'servers'
    | 'sessionsOfServer'
    | 'threadsOf'
    | 'loadFact'
    | 'saveFact'
  > {
  const select = () => db.select(SESSION_FIELDS).from(sessions);
  const addressed = db.select({ addressed: sessions.addressed }).from(sessions).where(BY_ID).prepare();
  return {
    async openSession(session) {
      const known = await read(() => rows.find(session.id));
      if (known?.parentId === session.parentId && known.serverId === session.serverId) return;
      await write('session', () => rows.save(session));
    },
    findSession: (sessionId) => read(() => rows.find(sessionId)),
    listSessions: (afterId, limit) =>
      read(() => select().where(gt(sessions.id, afterId)).orderBy(asc(sessions.id)).limit(limit).all()),
    markAddressed: (sessionId) =>
      write('session', () => void db.update(sessions).set({ addressed: true }).where(eq(sessions.id, sessionId)).run()),
    wasAddressed: (sessionId) => read(() => addressed.get({ id: sessionId })?.addressed ?? false),
    platformIdsSince: (sessionId, fromAt, limit) =>
      read(() =>
        db
          .select({ id: messages.platformId })
          .from(messages)
          .where(and(eq(messages.sessionId, sessionId), eq(messages.role, 'user'), gte(messages.createdAt, fromAt)))
          .orderBy(desc(messages.seq))
          .limit(limit)
          .all()
          .map(({ id }) => id),
      ),
    servers: () =>
      read(() =>
        db
          .selectDistinct({ id: sessions.serverId })
          .from(sessions)
          .where(isNotNull(sessions.serverId))
          .all()
          .flatMap(({ id }) => id ?? []),
      ),
    sessionsOfServer: (serverId) => read(() => select().where(eq(sessions.serverId, serverId)).all()),
    threadsOf: (sessionId) => read(() => select().where(eq(sessions.parentId, sessionId)).all()),
    loadFact: (name) => read(() => db.select().from(facts).where(eq(facts.name, name)).get()?.value ?? null),
    saveFact: (name, value) =>
      write('fact', () => {
        if (value === null) return void db.delete(facts).where(eq(facts.name, name)).run();
        db.insert(facts).values({ name, value }).onConflictDoUpdate({ target: facts.name, set: { value } }).run();
      }),
  };
}

/** The numbers that writes are compared with; all are 0 for a session that is not stored. */
type SessionState = { epoch: number; revision: number; sweptThrough: number };

const UNKNOWN: SessionState = { epoch: 0, revision: 0, sweptThrough: 0 };

export type Sessions = ReturnType<typeof prepareSessions>;

export function prepareSessions(db: Database) {
  const { epoch, revision, sweptThrough } = sessions;
  const id = sql.placeholder('id');
  const find = db.select(SESSION_FIELDS).from(sessions).where(BY_ID).prepare();
  const state = db.select({ epoch, revision, sweptThrough }).from(sessions).where(BY_ID).prepare();
  const ensure = db.insert(sessions).values({ id }).onConflictDoNothing().prepare();
  const save = db
    .insert(sessions)
    .values({ id, parentId: sql.placeholder('parentId'), serverId: sql.placeholder('serverId') })
    .onConflictDoUpdate({
      target: sessions.id,
      set: { parentId: sql`excluded.parent_id`, serverId: sql`excluded.server_id` },
    })
    .prepare();
  const next = { revision: sql`${revision} + 1`, epoch: sql`${epoch} + 1` };
  const raiseRevision = db.update(sessions).set({ revision: next.revision }).where(BY_ID).prepare();
  const raiseEpoch = db.update(sessions).set(next).where(BY_ID).prepare();
  return {
    find: (id: string): Session | null => find.get({ id }) ?? null,
    state: (id: string): SessionState => state.get({ id }) ?? UNKNOWN,
    save: ({ id, parentId, serverId }: Session): void => void save.run({ id, parentId, serverId }),
    /** Inserts the row of a session whose messages come before it is opened. */
    ensure: (id: string): void => void ensure.run({ id }),
    raiseRevision: (id: string): void => void raiseRevision.run({ id }),
    /** Raises epoch and revision, so that work begun before a forget cannot write after it. */
    raiseEpoch(id: string): void {
      ensure.run({ id });
      raiseEpoch.run({ id });
    },
    /** Raises `sweptThrough` to the highest of the rows that retention has deleted. */
    recordSwept(id: string, deleted: readonly { seq: number }[]): void {
      const before = this.state(id).sweptThrough;
      const highest = deleted.reduce((max, { seq }) => Math.max(max, seq), before);
      if (highest > before) this.setSweptThrough(id, highest);
    },
    setSweptThrough(id: string, seq: number): void {
      db.update(sessions).set({ sweptThrough: seq }).where(eq(sessions.id, id)).run();
    },
  };
}
