import { and, eq, sql } from 'drizzle-orm';
import type { NewMessage } from '../../conversation/message.js';
import { peopleIn, withName } from '../participants.js';
import type { Database } from './database.js';
import { participants } from './schema-community.js';

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
