import type { z } from 'zod';
import {
  ARCHIVE_LIMITS,
  type Archive,
  type ArchiveHeader,
  type ArchiveMessage,
  type ArchiveSummary,
  archiveHeaderSchema,
  archiveRowSchema,
} from './archive.js';
import { DAY_MS } from './clock.js';
import { CommandError } from './errors.js';

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
