import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm';
import type { Message } from '../../conversation/message.js';
import { type Session, serverScope } from '../../conversation/session.js';
import type { Database } from './database.js';
import { toMessage } from './rows.js';
import { messages, sessions } from './schema.js';
import { optOuts, participants } from './schema-community.js';

/** Prepares what concerns people; whether somebody has opted out is asked at every message. */
export function preparePeople(db: Database) {
  const one = (scopeId: string, authorId: string) => and(eq(optOuts.scopeId, scopeId), eq(optOuts.authorId, authorId));
  const choice = db
    .select()
    .from(optOuts)
    .where(and(eq(optOuts.scopeId, sql.placeholder('scopeId')), eq(optOuts.authorId, sql.placeholder('authorId'))))
    .prepare();
  const identity = [eq(messages.sessionId, sql.placeholder('sessionId')), eq(messages.role, 'user')];
  const identified = db
    .select()
    .from(messages)
    .where(and(...identity, eq(messages.platformId, sql.placeholder('platformId'))))
    .prepare();
  return {
    setOptOut(scopeId: string, authorId: string, optedOut: boolean, at: number): void {
      if (optedOut) db.insert(optOuts).values({ scopeId, authorId, at }).onConflictDoNothing().run();
      else db.delete(optOuts).where(one(scopeId, authorId)).run();
    },
    optOut(scopeId: string, authorId: string): { optedOut: boolean; told: boolean } {
      const row = choice.get({ scopeId, authorId });
      return { optedOut: row !== undefined, told: row?.told ?? false };
    },
    markTold(scopeId: string, authorId: string): void {
      db.update(optOuts).set({ told: true }).where(one(scopeId, authorId)).run();
    },
    sessionsOfAuthor(scopeId: string, authorId: string): Session[] {
      return db
        .select({ id: sessions.id, parentId: sessions.parentId, serverId: sessions.serverId })
        .from(participants)
        .innerJoin(sessions, eq(sessions.id, participants.sessionId))
        .where(and(eq(participants.authorId, authorId), within(scopeId)))
        .orderBy(asc(sessions.id))
        .all();
    },
    findMessage(sessionId: string, platformId: string): Message | null {
      const row = identified.get({ sessionId, platformId });
      return row === undefined ? null : toMessage(row);
    },
    messagesOfAuthor(sessionId: string, authorId: string, afterSeq: number, limit: number): Message[] {
      const theirs = and(eq(messages.sessionId, sessionId), eq(messages.role, 'user'), eq(messages.authorId, authorId));
      return db
        .select()
        .from(messages)
        .where(and(theirs, gt(messages.seq, afterSeq)))
        .orderBy(asc(messages.seq))
        .limit(limit)
        .all()
        .map(toMessage);
    },
  };
}

/** A server's sessions, or the one session that a scope names. */
function within(scopeId: string): SQL {
  const server = serverScope('');
  return scopeId.startsWith(server) ? eq(sessions.serverId, scopeId.slice(server.length)) : eq(sessions.id, scopeId);
}
