import { z } from 'zod';
import { DAY_MS } from './clock.js';
import { badOption, type CommandError } from './errors.js';
import type { NewSummary } from './history.js';
import type { NewMessage } from './message.js';
import { strategySchema } from './settings.js';

/** The version of the archive format that this program writes and reads. */
export const ARCHIVE_VERSION = 1;

/**
 * The size limits of an archive: bytes of UTF-8, and rows beside the header. All rows are stored in one transaction, which
 * blocks a running bot; so many take about a tenth of a second.
 */
export const ARCHIVE_LIMITS = { bytes: 5_000_000, rows: 10_000 } as const;

const name = z.string().max(1_000);
const id = z.string().min(1).max(1_000);
const time = z.iso.datetime({ error: 'must be a time in UTC such as 2026-08-01T09:30:00.000Z' });
const author = z.strictObject({ id, name });

/** The first line: format version, session, time of the export, and the session's strategy. */
const archiveHeaderSchema = z.strictObject({
  keepsake: z.literal(ARCHIVE_VERSION, { error: `must be ${ARCHIVE_VERSION}; another version needs another Keepsake` }),
  session: id,
  exportedAt: time,
  strategy: strategySchema,
});

const roleError = 'must be user or assistant; a system message belongs into the persona, not into the memory';

/** A line for each message, in order of `seq`. */
const archiveMessageSchema = z.strictObject({
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
 * A line for each summary; `covers` counts the messages of the file, from the first on, that it covers. `beyond` says that
 * it also covers messages that were deleted before the file was written.
 */
const archiveSummarySchema = z.strictObject({
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
const archiveRowSchema = z.discriminatedUnion('type', [archiveMessageSchema, archiveSummarySchema], {
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

/** Stores a whole conversation from another place. */
export interface ArchiveStore {
  /**
   * Stores messages and summaries of a session, all or none. Skipped are messages that were erased here before, under their
   * id here or their original id, and summaries that cover such a message. If the session then holds no message of its own,
   * its catch-up starts after `receivedUntil`, in milliseconds since 1970.
   * @returns the number of messages stored, or null when the session holds anything already; nothing was stored then.
   */
  importSession(
    sessionId: string,
    messages: readonly NewMessage[],
    summaries: readonly ImportedSummary[],
    receivedUntil: number,
  ): Promise<number | null>;
}

const FOREIGN_ID_PREFIX = 'i:';

/**
 * Maps a message id of an archive to the session that imports it. In the session it comes from it stays as it is, so that
 * later edits and deletions reach it; elsewhere it becomes `i:SESSION/ID`, which no platform gives, so that it is not looked
 * up there. An id that an earlier import has prefixed is not prefixed again, and is restored in its original session.
 */
export function importedId(id: string, fromSessionId: string, intoSessionId: string): string {
  const foreign = isForeignId(id)
    ? id
    : `${FOREIGN_ID_PREFIX}${encodeURIComponent(fromSessionId.toWellFormed())}/${id}`;
  const ownPrefix = `${FOREIGN_ID_PREFIX}${encodeURIComponent(intoSessionId)}/`;
  return foreign.startsWith(ownPrefix) ? foreign.slice(ownPrefix.length) : foreign;
}

/** Tells whether an id is that of a message imported from another session. */
export function isForeignId(id: string): boolean {
  return id.startsWith(FOREIGN_ID_PREFIX) && id.includes('/');
}

/** Removes the prefix of an imported id. */
export function originalId(id: string): string {
  return isForeignId(id) ? id.slice(id.indexOf('/') + 1) : id;
}

const MAX_PROBLEMS_SHOWN = 5;

/** Lines that are parsed without a pause; they take some ten milliseconds. */
const LINES_PER_SLICE = 1_000;

/** Formats a row as one line of an archive. */
export function archiveLine(row: ArchiveHeader | ArchiveMessage | ArchiveSummary): string {
  return `${JSON.stringify(row)}\n`;
}

/**
 * Parses an archive, ignoring empty lines. `now` is in milliseconds since 1970.
 * @throws {CommandError} naming the first problems by line and field.
 */
export function readArchive(content: string, now: number): Archive {
  const slices = parseLines(content, now);
  for (;;) {
    const step = slices.next();
    if (step.done) return step.value;
  }
}

/** Parses an archive as `readArchive` does, but yields to the event loop between slices of lines. */
export async function readArchiveInSlices(content: string, now: number): Promise<Archive> {
  const slices = parseLines(content, now);
  for (;;) {
    const step = slices.next();
    if (step.done) return step.value;
    await new Promise((resume) => setImmediate(resume));
  }
}

/** Yields before each slice of lines. */
function* parseLines(content: string, now: number): Generator<void, Archive, void> {
  const [first, ...rest] = linesOf(content);
  if (first === undefined) throw importError('it is empty');
  const problems: string[] = [];
  const header = parseLine(archiveHeaderSchema, first, problems);
  const messages: ArchiveMessage[] = [];
  const summaries: ArchiveSummary[] = [];
  const identities = new Set<string>();
  for (const [i, line] of rest.entries()) {
    if (i % LINES_PER_SLICE === 0) yield;
    if (header === null || problems.length > MAX_PROBLEMS_SHOWN) break;
    const row = parseLine(archiveRowSchema, line, problems);
    if (row?.type === 'summary') summaries.push(row);
    if (row?.type !== 'message') continue;
    const problem = messageProblem(row, identities, now);
    if (problem !== null) problems.push(`line ${line.number}: ${problem}`);
    messages.push(row);
  }
  const tooLong = summaries.find(({ covers }) => covers > messages.length);
  if (tooLong !== undefined && problems.length === 0) {
    problems.push(`a summary covers ${tooLong.covers} messages, but the file has ${messages.length}`);
  }
  if (header === null || problems.length > 0) throw importError(listProblems(problems));
  return { header, messages, summaries };
}

type Line = { text: string; number: number };

function linesOf(content: string): Line[] {
  if (Buffer.byteLength(content) > ARCHIVE_LIMITS.bytes) {
    throw importError(`it has more than ${ARCHIVE_LIMITS.bytes.toLocaleString('en-US')} bytes`);
  }
  const lines = content
    .replace(/^\uFEFF/u, '')
    .split('\n')
    .map((line, i) => ({ text: line.trim(), number: i + 1 }))
    .filter(({ text }) => text !== '');
  if (lines.length - 1 <= ARCHIVE_LIMITS.rows) return lines;
  throw importError(`it has more than ${ARCHIVE_LIMITS.rows.toLocaleString('en-US')} rows`);
}

/** Checks what the schema cannot; role and id are a message's identity, which must be unique. */
function messageProblem(row: ArchiveMessage, identities: Set<string>, now: number): string | null {
  if (row.role === 'assistant' && row.state !== 'answered') return 'state: must be answered, as this is an answer';
  // A day of grace, since clocks of two hosts differ.
  if (Date.parse(row.time) > now + DAY_MS) return 'time: lies in the future';
  const identity = `${row.role} ${row.id}`;
  if (identities.has(identity)) return 'id: stands in the file twice';
  identities.add(identity);
  return null;
}

function parseLine<T>(schema: z.ZodType<T>, { text, number }: Line, problems: string[]): T | null {
  const parsed = schema.safeParse(fromJson(text));
  if (parsed.success) return parsed.data;
  if (fromJson(text) === undefined) problems.push(`line ${number}: is no JSON`);
  else {
    for (const issue of parsed.error.issues) {
      problems.push(`line ${number}: ${[...issue.path.map(String), issue.message.slice(0, 120)].join(': ')}`);
    }
  }
  return null;
}

function fromJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function listProblems(problems: readonly string[]): string {
  const more = problems.length > MAX_PROBLEMS_SHOWN ? '; and more' : '';
  return `${problems.slice(0, MAX_PROBLEMS_SHOWN).join('; ')}${more}`;
}

function importError(reason: string): CommandError {
  return badOption(`This file was not imported, nothing was changed: ${reason}.`);
}

/** The localized texts of a Markdown export; times are texts in UTC. */
type ArchiveLabels = {
  title: (session: string) => string;
  exported: (time: string, strategy: string) => string;
  summary: (from: string, through: string, model: string) => string;
  /** The name of the bot above its answers. */
  bot: string;
};

/** Formats a row of an archive as Markdown; messages are block quotes, so that none of them can pose as a heading. */
export function archiveMarkdown(row: ArchiveHeader | ArchiveMessage | ArchiveSummary, labels: ArchiveLabels): string {
  if ('keepsake' in row) {
    const title = escapeMarkdown(labels.title(row.session));
    return `# ${title}\n\n${labels.exported(minuteOf(row.exportedAt), row.strategy.name)}\n`;
  }
  if (row.type === 'summary') {
    const heading = labels.summary(minuteOf(row.from), minuteOf(row.through), escapeMarkdown(row.model));
    return `\n## ${heading}\n\n${blockQuote(row.text)}\n`;
  }
  const name = row.role === 'assistant' ? row.author.name || labels.bot : row.author.name;
  const { quote } = row;
  const reply = quote === undefined ? '' : `${blockQuote(`${quote.author.name}: ${quote.text}`)}\n\n`;
  return `\n**${escapeMarkdown(name)}** · ${minuteOf(row.time)}\n\n${blockQuote(`${reply}${row.text}`)}\n`;
}

function blockQuote(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function escapeMarkdown(name: string): string {
  return name.replace(/[\\`*_[\]<>#|~]/gu, '\\$&').replace(/\s+/gu, ' ');
}

function minuteOf(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}
