import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm';
import { cleanText, type Message, type NewMessage } from '../../conversation/message.js';
import { type Session, serverScope } from '../../conversation/session.js';
import type { Database } from './connection.js';
import { toMessage } from './rows.js';
import { messages, optOuts, participants, sessions } from './schema.js';

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

/** A person as a message names them. */
type Named = { authorId: string; name: string };

/** Names are noted up to so many characters a person and session, as one may change a name at will. */
const NAMES_LENGTH = 8_000;

/** Whom a message comes from, if it is a person, and whom it quotes. */
export function peopleIn({ role, authorId, authorName, quote }: NewMessage): Named[] {
  const writer = role === 'user' ? [{ authorId, name: authorName }] : [];
  if (quote === null || quote.authorId === '') return writer;
  return [...writer, { authorId: quote.authorId, name: quote.authorName }];
}

/** Names, one a line, with one more if it is not among them. */
export function withName(names: string, name: string): string {
  const line = oneLine(name);
  if (line === '' || names.split('\n').includes(line) || names.length + line.length >= NAMES_LENGTH) return names;
  return names === '' ? line : `${names}\n${line}`;
}

/** The noted names and those that were found beside them, each once. */
export function allNames(noted: string, found: readonly string[]): string[] {
  return [...new Set([...noted.split('\n'), ...found.map(oneLine)])].filter((name) => name !== '');
}

function oneLine(name: string): string {
  return cleanText(name)
    .replace(/\s*\n\s*/gu, ' ')
    .trim();
}

/** Who appears in which session, and under which names. */
export type Participants = ReturnType<typeof prepareParticipants>;

/** Prepares the notes; each message costs a reading for each person, and a write only for one who is new or renamed. */
export function prepareParticipants(db: Database) {
  const { authorId, sessionId, names } = participants;
  const one = and(eq(authorId, sql.placeholder('authorId')), eq(sessionId, sql.placeholder('sessionId')));
  const find = db.select({ names }).from(participants).where(one).prepare();
  const drop = db.delete(participants).where(one).prepare();
  const write = db
    .insert(participants)
    .values({
      authorId: sql.placeholder('authorId'),
      sessionId: sql.placeholder('sessionId'),
      names: sql.placeholder('names'),
    })
    .onConflictDoUpdate({ target: [authorId, sessionId], set: { names: sql`excluded.names` } })
    .prepare();

  function look(session: string, author: string): { before: string | null; after: string } {
    const before = find.get({ authorId: author, sessionId: session })?.names ?? null;
    return { before, after: before ?? '' };
  }

  return {
    /** Notes who wrote messages of a session, and who is quoted in them. */
    note(session: string, messages: readonly NewMessage[]): void {
      const noted = new Map<string, { before: string | null; after: string }>();
      for (const person of messages.flatMap(peopleIn)) {
        const known = noted.get(person.authorId) ?? look(session, person.authorId);
        noted.set(person.authorId, { before: known.before, after: withName(known.after, person.name) });
      }
      for (const [author, { before, after }] of noted) {
        if (after !== before) write.run({ authorId: author, sessionId: session, names: after });
      }
    },
    /** The names of somebody, one a line; null when they never appeared. */
    namesOf: (session: string, author: string): string | null => look(session, author).before,
    remove: (session: string, author: string): void => void drop.run({ authorId: author, sessionId: session }),
    removeAll: (session: string): void => void db.delete(participants).where(eq(sessionId, session)).run(),
  };
}
