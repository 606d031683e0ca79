import type { Archive, ArchiveMessage, ArchiveSummary, ImportedSummary } from '../conversation/archive.js';
import { importedId, isForeign } from '../conversation/archive-ids.js';
import { readArchiveInSlices } from '../conversation/archive-lines.js';
import type { NewMessage } from '../conversation/message.js';
import { ownScope, type Session } from '../conversation/session.js';
import { describeStrategy } from '../memory/strategy-input.js';
import { summaryCap } from './fold-order.js';
import type { Parts } from './parts.js';
import { settingsFor } from './settings.js';
import { capSummary } from './summary-check.js';

/** What an import did: rows stored and left out, and the strategy, as one would type it, that they come from. */
export type ImportReceipt = { messages: number; summaries: number; leftOut: number; strategyText: string };

/**
 * Stores an archive in a session, all or nothing; null when the session remembers anything, since nothing is overwritten.
 * Left out is what was erased here before, what people said who have opted out here, and summaries over it. Messages of
 * another session get ids that are none of this one's platform.
 * @throws {CommandError} naming the first faults by line; nothing was stored then.
 */
export async function importArchive(parts: Parts, session: Session, content: string): Promise<ImportReceipt | null> {
  const archive = atHome(await readArchiveInSlices(content, parts.clock()), session);
  const { header, messages, summaries } = archive;
  const silent = await optedOut(parts, session, messages);
  const questions = new Set(
    messages.filter((row) => row.role === 'user' && silent.has(row.author.id)).map(({ id }) => id),
  );
  const stays = (row: ArchiveMessage) => (row.role === 'user' ? !silent.has(row.author.id) : !questions.has(row.id));
  const firstGone = messages.findIndex((row) => !stays(row));
  const kept = messages.filter(stays).map((row) => toMessage(session.id, row, silent));
  const whole = summaries.filter(({ covers }) => firstGone === -1 || covers <= firstGone);
  await parts.store.openSession(session);
  const heardUntil = lastHeard(archive, session) ?? parts.clock();
  const stored = await parts.store.importSession(session.id, kept, await counted(parts, session, whole), heardUntil);
  if (stored === null) return null;
  const facts = await parts.store.sessionFacts(session.id);
  const leftOut = messages.length - stored;
  return {
    messages: stored,
    summaries: facts.summaries.length,
    leftOut,
    strategyText: describeStrategy(header.strategy),
  };
}

/** An archive with the ids that its messages have in the session. */
function atHome(archive: Archive, session: Session): Archive {
  const here = (id: string) => importedId(id, archive.header.session, session.id);
  const messages = archive.messages.map((row) => ({
    ...row,
    id: here(row.id),
    ...(row.quote !== undefined && { quote: { ...row.quote, id: here(row.quote.id) } }),
  }));
  return { ...archive, messages };
}

/** Until when a session has heard what only summaries of its own archive hold; of others it has heard nothing. */
function lastHeard({ header, messages, summaries }: Archive, session: Session): number | null {
  if (header.session !== session.id || summaries.length === 0 || messages.some(({ id }) => isForeign(id))) return null;
  return Math.max(...summaries.map(({ through }) => Date.parse(through)));
}

async function optedOut(parts: Parts, session: Session, messages: readonly ArchiveMessage[]): Promise<Set<string>> {
  const scope = ownScope(session);
  const people = messages.flatMap(({ author, quote }) => [
    author.id,
    ...(quote === undefined ? [] : [quote.author.id]),
  ]);
  const silent = new Set<string>();
  for (const id of new Set(people)) if ((await parts.store.optOut(scope, id)).optedOut) silent.add(id);
  return silent;
}

function toMessage(sessionId: string, row: ArchiveMessage, silent: ReadonlySet<string>): NewMessage {
  const { role, id, author, time, state, text, quote } = row;
  const quoted = quote === undefined || silent.has(quote.author.id) ? null : quote;
  return {
    sessionId,
    platformId: id,
    role,
    authorId: author.id,
    authorName: author.name,
    text,
    quote: quoted && {
      platformId: quoted.id,
      authorId: quoted.author.id,
      authorName: quoted.author.name,
      text: quoted.text,
    },
    createdAt: Date.parse(time),
    state,
  };
}

/** Summaries with counts of our own and within the session's cap; those of a file are not to be relied on. */
async function counted(
  parts: Parts,
  session: Session,
  summaries: readonly ArchiveSummary[],
): Promise<ImportedSummary[]> {
  const cap = summaryCap((await settingsFor(parts.store, session, parts.options)).strategy.value);
  const { encoding } = parts.summaryModel;
  return Promise.all(
    summaries.map(async ({ covers, beyond, from, through, model, createdAt, text: full }) => {
      const text = await capSummary(parts.counter, full, cap, encoding);
      const [tokens = 0] = await parts.counter.count([text], encoding);
      const times = { fromAt: Date.parse(from), throughAt: Date.parse(through), createdAt: Date.parse(createdAt) };
      return { text, tokens, encoding, model, covers, beyond, ...times };
    }),
  );
}
