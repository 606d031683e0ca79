import { z } from 'zod';
import { DAY_MS } from './clock.js';
import { CommandError } from './errors.js';
import type { NewSummary } from './history.js';
import type { NewMessage } from './message.js';
import { strategySchema } from './settings.js';

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
const archiveHeaderSchema = z.strictObject({
  keepsake: z.literal(ARCHIVE_VERSION, { error: `must be ${ARCHIVE_VERSION}; another version needs another Keepsake` }),
  session: id,
  exportedAt: time,
  strategy: strategySchema,
});

const roleError = 'must be user or assistant; a system message belongs into the persona, not into the memory';

/** A line for each message, in the order in which they were said. */
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
 * A line for each summary; `covers` counts the messages of the file, from the first on, that it stands for. `beyond` says
 * that it also stands for messages that were deleted before the file was written.
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

/** Takes over a whole conversation from elsewhere. */
export interface ArchiveStore {
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

const MARK = 'i:';

/**
 * The id of an imported message in the session that takes it in: its own where the session it is from is the same, so that
 * later edits and deletions reach it, else one that no platform gives, so that it is not looked for there. An id that was
 * marked by an earlier import keeps its mark, and loses it back home.
 */
export function importedId(id: string, from: string, into: string): string {
  const marked = isForeignId(id) ? id : `${MARK}${encodeURIComponent(from.toWellFormed())}/${id}`;
  const home = `${MARK}${encodeURIComponent(into)}/`;
  return marked.startsWith(home) ? marked.slice(home.length) : marked;
}

/** Whether an id is of a message that was said in another session, and imported. */
export function isForeignId(id: string): boolean {
  return id.startsWith(MARK) && id.includes('/');
}

/** The id that a message has where it was said. */
export function originalId(id: string): string {
  return isForeignId(id) ? id.slice(id.indexOf('/') + 1) : id;
}

const FAULTS_SHOWN = 5;

/** Lines that are read at a stretch; they take some ten milliseconds. */
const SLICE = 1_000;

/** One line of an archive. */
export function archiveLine(row: ArchiveHeader | ArchiveMessage | ArchiveSummary): string {
  return `${JSON.stringify(row)}\n`;
}

/**
 * Reads an archive, line by line; empty lines are passed over. `now` is in milliseconds since 1970.
 * @throws {CommandError} naming the first faults by line and field.
 */
export function readArchive(content: string, now: number): Archive {
  const reading = readLines(content, now);
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
  }
}

/** Reads an archive as `readArchive` does, but lets other work of the process in between. */
export async function readArchiveInSlices(content: string, now: number): Promise<Archive> {
  const reading = readLines(content, now);
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
    await new Promise((resume) => setImmediate(resume));
  }
}

/** Pauses after each slice of lines. */
function* readLines(content: string, now: number): Generator<void, Archive, void> {
  const [first, ...rest] = linesOf(content);
  if (first === undefined) throw refuse('it is empty');
  const faults: string[] = [];
  const header = read(archiveHeaderSchema, first, faults);
  const messages: ArchiveMessage[] = [];
  const summaries: ArchiveSummary[] = [];
  const seen = new Set<string>();
  for (const [i, line] of rest.entries()) {
    if (i % SLICE === 0) yield;
    if (header === null || faults.length > FAULTS_SHOWN) break;
    const row = read(archiveRowSchema, line, faults);
    if (row?.type === 'summary') summaries.push(row);
    if (row?.type !== 'message') continue;
    const fault = messageFault(row, seen, now);
    if (fault !== null) faults.push(`line ${line.number}: ${fault}`);
    messages.push(row);
  }
  const beyond = summaries.find(({ covers }) => covers > messages.length);
  if (beyond !== undefined && faults.length === 0) {
    faults.push(`a summary covers ${beyond.covers} messages, but the file has ${messages.length}`);
  }
  if (header === null || faults.length > 0) throw refuse(shown(faults));
  return { header, messages, summaries };
}

type Line = { text: string; number: number };

function linesOf(content: string): Line[] {
  if (Buffer.byteLength(content) > ARCHIVE_LIMITS.bytes) {
    throw refuse(`it has more than ${ARCHIVE_LIMITS.bytes.toLocaleString('en-US')} bytes`);
  }
  const lines = content
    .replace(/^\uFEFF/u, '')
    .split('\n')
    .map((line, i) => ({ text: line.trim(), number: i + 1 }))
    .filter(({ text }) => text !== '');
  if (lines.length - 1 <= ARCHIVE_LIMITS.rows) return lines;
  throw refuse(`it has more than ${ARCHIVE_LIMITS.rows.toLocaleString('en-US')} rows`);
}

/** What is wrong with a message beside its form; role and id are its identity, so none may come twice. */
function messageFault(row: ArchiveMessage, seen: Set<string>, now: number): string | null {
  if (row.role === 'assistant' && row.state !== 'answered') return 'state: must be answered, as this is an answer';
  // A day of grace, since clocks of two hosts differ.
  if (Date.parse(row.time) > now + DAY_MS) return 'time: lies in the future';
  const identity = `${row.role} ${row.id}`;
  if (seen.has(identity)) return 'id: stands in the file twice';
  seen.add(identity);
  return null;
}

function read<T>(schema: z.ZodType<T>, { text, number }: Line, faults: string[]): T | null {
  const parsed = schema.safeParse(fromJson(text));
  if (parsed.success) return parsed.data;
  if (fromJson(text) === undefined) faults.push(`line ${number}: is no JSON`);
  else {
    for (const issue of parsed.error.issues) {
      faults.push(`line ${number}: ${[...issue.path.map(String), issue.message.slice(0, 120)].join(': ')}`);
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

function shown(faults: readonly string[]): string {
  const more = faults.length > FAULTS_SHOWN ? '; and more' : '';
  return `${faults.slice(0, FAULTS_SHOWN).join('; ')}${more}`;
}

function refuse(why: string): CommandError {
  return new CommandError('bad-option', `This file was not imported, nothing was changed: ${why}.`);
}

/** What the Markdown of an archive calls things; times are texts in UTC. */
type ArchiveLabels = {
  title: (session: string) => string;
  exported: (time: string, strategy: string) => string;
  summary: (from: string, through: string, model: string) => string;
  /** The name of the bot above its answers. */
  bot: string;
};

/** One row of an archive as Markdown to read; what was said stands in quotes, so that it cannot pose as a heading. */
export function archiveMarkdown(row: ArchiveHeader | ArchiveMessage | ArchiveSummary, labels: ArchiveLabels): string {
  if ('keepsake' in row) {
    return `# ${plain(labels.title(row.session))}\n\n${labels.exported(minute(row.exportedAt), row.strategy.name)}\n`;
  }
  if (row.type === 'summary') {
    const heading = labels.summary(minute(row.from), minute(row.through), plain(row.model));
    return `\n## ${heading}\n\n${quoted(row.text)}\n`;
  }
  const name = row.role === 'assistant' ? row.author.name || labels.bot : row.author.name;
  const { quote } = row;
  const reply = quote === undefined ? '' : `${quoted(`${quote.author.name}: ${quote.text}`)}\n\n`;
  return `\n**${plain(name)}** · ${minute(row.time)}\n\n${quoted(`${reply}${row.text}`)}\n`;
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function plain(name: string): string {
  return name.replace(/[\\`*_[\]<>#|~]/gu, '\\$&').replace(/\s+/gu, ' ');
}

function minute(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}
