import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm';
import { cleanText, type NewMessage } from '../../conversation/message.js';
import { serverScope } from '../../conversation/session.js';
import type { PersonStore } from '../../conversation/store.js';
import type { Database } from './connection.js';
import type { StoreAccess } from './group-commit.js';
import { toMessage } from './rows.js';
import { messages, participants, sessions } from './schema.js';
import { SESSION_FIELDS } from './sessions.js';
import type { Statements } from './statements.js';

export function participantVerbs(
  { db }: Statements,
  { read }: StoreAccess,
): Pick<PersonStore, 'sessionsOfAuthor' | 'findMessage' | 'messagesOfAuthor'> {
  const { sessionId: session, platformId: platform, role } = messages;
  const { placeholder } = sql;
  // Prepared, since every edit needs it.
  const userMessage = db
    .select()
    .from(messages)
    .where(and(eq(session, placeholder('sessionId')), eq(role, 'user'), eq(platform, placeholder('platformId'))))
    .prepare();
  return {
    sessionsOfAuthor: (scopeId, authorId) =>
      read(() =>
        db
          .select(SESSION_FIELDS)
          .from(participants)
          .innerJoin(sessions, eq(sessions.id, participants.sessionId))
          .where(and(eq(participants.authorId, authorId), isInScope(scopeId)))
          .orderBy(asc(sessions.id))
          .all(),
      ),
    findMessage: (sessionId, platformId) =>
      read(() => {
        const row = userMessage.get({ sessionId, platformId });
        return row === undefined ? null : toMessage(row);
      }),
    messagesOfAuthor: (sessionId, authorId, afterSeq, limit) =>
      read(() => {
        const { seq, authorId: author } = messages;
        const theirs = and(eq(session, sessionId), eq(role, 'user'), eq(author, authorId), gt(seq, afterSeq));
        return db.select().from(messages).where(theirs).orderBy(asc(seq)).limit(limit).all().map(toMessage);
      }),
  };
}

/** Matches the sessions of a server's scope, or the one session that a scope names. */
function isInScope(scopeId: string): SQL {
  const server = serverScope('');
  return scopeId.startsWith(server) ? eq(sessions.serverId, scopeId.slice(server.length)) : eq(sessions.id, scopeId);
}

/** Prepares the participants of sessions and their names; a message causes a write only for somebody new or renamed. */
export function prepareParticipants(db: Database) {
  const { authorId, sessionId, names } = participants;
  const one = and(eq(authorId, sql.placeholder('authorId')), eq(sessionId, sql.placeholder('sessionId')));
  const find = db.select({ names }).from(participants).where(one).prepare();
  const remove = db.delete(participants).where(one).prepare();
  const write = db
    .insert(participants)
    .values({
      authorId: sql.placeholder('authorId'),
      sessionId: sql.placeholder('sessionId'),
      names: sql.placeholder('names'),
    })
    .onConflictDoUpdate({ target: [authorId, sessionId], set: { names: sql`excluded.names` } })
    .prepare();
  const namesOf = (session: string, author: string): string | null =>
    find.get({ authorId: author, sessionId: session })?.names ?? null;

  function stored(session: string, author: string): { before: string | null; after: string } {
    const before = namesOf(session, author);
    return { before, after: before ?? '' };
  }

  return {
    /** Adds the authors of messages, and those whom they quote. */
    note(session: string, messages: readonly NewMessage[]): void {
      const changes = new Map<string, { before: string | null; after: string }>();
      for (const { authorId: author, name } of messages.flatMap(participantsIn)) {
        const { before, after } = changes.get(author) ?? stored(session, author);
        changes.set(author, { before, after: addName(after, name) });
      }
      for (const [author, { before, after }] of changes) {
        if (after !== before) write.run({ authorId: author, sessionId: session, names: after });
      }
    },
    /** Returns a person's names, one a line; null when they never appeared in the session. */
    namesOf,
    remove: (session: string, author: string): void => void remove.run({ authorId: author, sessionId: session }),
    removeAll: (session: string): void => void db.delete(participants).where(eq(sessionId, session)).run(),
  };
}

/** Lists the person who wrote a message, unless it is an answer, and the person whom it quotes. */
export function participantsIn({
  role,
  authorId,
  authorName,
  quote,
}: NewMessage): { authorId: string; name: string }[] {
  const writer = role === 'user' ? [{ authorId, name: authorName }] : [];
  if (quote === null || quote.authorId === '') return writer;
  return [...writer, { authorId: quote.authorId, name: quote.authorName }];
}

/** Limit of the stored names of a person and session, in characters, since people may rename themselves at will. */
const MAX_NAMES_LENGTH = 8_000;

/** Adds a name to a list of one name a line, unless it is among them. */
export function addName(names: string, name: string): string {
  const line = oneLine(name);
  if (line === '' || names.split('\n').includes(line) || names.length + line.length >= MAX_NAMES_LENGTH) return names;
  return names === '' ? line : `${names}\n${line}`;
}

/** Joins stored names, one a line, with others that were found, each once. */
export function mergeNames(stored: string, found: readonly string[]): string[] {
  return [...new Set([...stored.split('\n'), ...found.map(oneLine)])].filter((name) => name !== '');
}

function oneLine(name: string): string {
  return cleanText(name)
    .replace(/\s*\n\s*/gu, ' ')
    .trim();
}
