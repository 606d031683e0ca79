import { z } from 'zod';
import type { NewMessage } from './message.js';
import { strategySchema } from './settings.js';
import type { NewSummary } from './summary.js';

/** The version of the archive format that this program writes and reads. */
export const ARCHIVE_VERSION = 1;

/**
 * What an archive may hold at most: bytes of UTF-8, and rows beside the header. All rows are stored in one transaction,
 * for which a running bot stands still; so many take about a tenth of a second.
 */
export const ARCHIVE_LIMITS = { bytes: 5_000_000, rows: 10_000 } as const;

const name = z.string().max(1_000);
const id = z.string().min(1).max(1_000);
const time = z.iso.datetime({ error: 'must be a time in UTC such as 2026-08-01T09:30:00.000Z' });
const author = z.strictObject({ id, name });

/** The first line: what the file is, of which session, when it was written, and how the session was remembered. */
export const archiveHeaderSchema = z.strictObject({
  keepsake: z.literal(ARCHIVE_VERSION, { error: `must be ${ARCHIVE_VERSION}; another version needs another Keepsake` }),
  session: id,
  exportedAt: time,
  strategy: strategySchema,
});

const roleError = 'must be user or assistant; a system message belongs into the persona, not into the memory';

/** A line for each message, in the order in which they were said. */
export const archiveMessageSchema = z.strictObject({
  type: z.literal('message'),
  role: z.enum(['user', 'assistant'], { error: roleError }),
  id,
  author,
  time,
  state: z.enum(['heard', 'answered', 'failed'], { error: 'must be heard, answered or failed' }),
  text: z.string(),
  quote: z.strictObject({ id, author, text: z.string() }).optional(),
});

/**
 * A line for each summary; `covers` counts the messages of the file, from the first on, that it stands for. `beyond` says
 * that it also stands for messages that were deleted before the file was written.
 */
export const archiveSummarySchema = z.strictObject({
  type: z.literal('summary'),
  covers: z.int({ error: 'must be a whole number' }).min(0, { error: 'must be at least 0' }),
  beyond: z.boolean(),
  from: time,
  through: time,
  model: z.string().min(1).max(1_000),
  createdAt: time,
  text: z.string().min(1, { error: 'must not be empty' }).max(20_000),
});

/** Any line after the first. */
export const archiveRowSchema = z.discriminatedUnion('type', [archiveMessageSchema, archiveSummarySchema], {
  error: 'type must be message or summary',
});

/** The first line of an archive. */
export type ArchiveHeader = z.infer<typeof archiveHeaderSchema>;

/** A message in an archive. */
export type ArchiveMessage = z.infer<typeof archiveMessageSchema>;

/** A summary in an archive. */
export type ArchiveSummary = z.infer<typeof archiveSummarySchema>;

/** A whole archive. */
export type Archive = { header: ArchiveHeader; messages: ArchiveMessage[]; summaries: ArchiveSummary[] };

/** A summary to be imported: it covers the first `covers` of the messages that come with it, and others if `beyond`. */
export type ImportedSummary = Omit<NewSummary, 'sessionId' | 'fromSeq' | 'throughSeq'> & {
  covers: number;
  beyond: boolean;
};

/** Takes over a whole conversation from elsewhere. */
export interface Archives {
  /**
   * Stores messages and summaries of a session, all or none. Messages that were erased here before are left out, under
   * the id they have here or where they were said, and so are summaries that cover such a one. A session that holds no
   * message of its own then counts as having heard what was said in it until `heardUntil`, in milliseconds since 1970.
   * @returns the number of messages stored, or null when the session holds anything already; nothing was stored then.
   */
  importSession(
    sessionId: string,
    messages: readonly NewMessage[],
    summaries: readonly ImportedSummary[],
    heardUntil: number,
  ): Promise<number | null>;
}
