import {
  ARCHIVE_VERSION,
  type Archive,
  type ArchiveHeader,
  type ArchiveMessage,
  type ArchiveSummary,
  type ImportedSummary,
  importedId,
  isForeignId,
  readArchiveInSlices,
} from '../conversation/archive.js';
import type { Message, NewMessage } from '../conversation/message.js';
import { personScope, type Session } from '../conversation/session.js';
import type { ConversationStore } from '../conversation/store.js';
import { describeStrategy } from '../memory/strategy-options.js';
import type { Dependencies } from './dependencies.js';
import { summaryCap } from './fold.js';
import { strategyFor } from './settings.js';
import { fitSummary } from './summarizer.js';

/** The result of an import: rows stored and skipped, and the command text of the archive's strategy. */
export type ImportReceipt = { messages: number; summaries: number; leftOut: number; strategyText: string };

/** Exports and imports of whole sessions. */
export class Archives {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Yields the rows of a session's archive, header first. */
  export(session: Session): AsyncGenerator<ArchiveHeader | ArchiveMessage | ArchiveSummary> {
    return exportRows(this.#deps.store, session, this.#deps.clock());
  }

  /**
   * Stores an archive in a session, all or nothing; null when the session remembers anything, since nothing is overwritten.
   * Skipped are messages that were erased here before, messages of people who have opted out here, and summaries over them.
   * Messages of another session get ids that the platform does not give.
   * @throws {CommandError} naming the first problems by line; nothing was stored then.
   */
  async import(session: Session, content: string): Promise<ImportReceipt | null> {
    const receipt = await importArchive(this.#deps, session, content);
    if (receipt !== null) this.#deps.compaction.enqueue(session);
    return receipt;
  }
}

const PAGE = 500;

/**
 * Yields the rows of a session's archive: the header, every settled message, and every clean summary. `now` is in
 * milliseconds since 1970.
 */
export async function* exportRows(
  store: Pick<ConversationStore, 'loadSpan' | 'sessionFacts' | 'loadSettings'>,
  session: Session,
  now: number,
): AsyncGenerator<ArchiveHeader | ArchiveMessage | ArchiveSummary> {
  const { id: sessionId } = session;
  const { value: strategy } = await strategyFor(store, session);
  const { summaries, sweptThrough } = await store.sessionFacts(sessionId);
  const clean = summaries.filter(({ dirty }) => !dirty).map((summary) => ({ summary, covers: 0 }));
  yield { keepsake: ARCHIVE_VERSION, session: sessionId, exportedAt: isoTime(now), strategy };
  for (let after = 0; ; ) {
    const page = await store.loadSpan(sessionId, after, Number.MAX_SAFE_INTEGER, PAGE);
    for (const message of page) {
      for (const entry of clean) if (message.seq <= entry.summary.throughSeq) entry.covers += 1;
      yield toArchiveMessage(message);
    }
    after = page.at(-1)?.seq ?? after;
    if (page.length < PAGE) break;
  }
  for (const { summary, covers } of clean) {
    yield {
      type: 'summary',
      covers,
      beyond: sweptThrough >= summary.fromSeq,
      from: isoTime(summary.fromAt),
      through: isoTime(summary.throughAt),
      model: summary.model,
      createdAt: isoTime(summary.createdAt),
      text: summary.text,
    };
  }
}

function toArchiveMessage(message: Message): ArchiveMessage {
  const { role, platformId, authorId, authorName, createdAt, state, text, quote } = message;
  return {
    type: 'message',
    role,
    id: platformId,
    author: { id: authorId, name: authorName },
    time: isoTime(createdAt),
    state: state === 'pending' ? 'failed' : state,
    text,
    ...(quote !== null && {
      quote: { id: quote.platformId, author: { id: quote.authorId, name: quote.authorName }, text: quote.text },
    }),
  };
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

async function importArchive(deps: Dependencies, session: Session, content: string): Promise<ImportReceipt | null> {
  const { store } = deps;
  const archive = withLocalIds(await readArchiveInSlices(content, deps.clock()), session);
  const { header, messages, summaries } = archive;
  const optedOut = await optedOutAuthors(deps, session, messages);
  const skippedQuestions = new Set(
    messages.filter((row) => row.role === 'user' && optedOut.has(row.author.id)).map(({ id }) => id),
  );
  const isKept = ({ role, author, id }: ArchiveMessage) =>
    role === 'user' ? !optedOut.has(author.id) : !skippedQuestions.has(id);
  const rows = messages.filter(isKept).map((row) => toMessage(session.id, row, optedOut));
  const firstSkipped = messages.findIndex((row) => !isKept(row));
  const keptSummaries = summaries.filter(({ covers }) => firstSkipped === -1 || covers <= firstSkipped);
  await store.openSession(session);
  const receivedUntil = coveredUntil(archive, session) ?? deps.clock();
  const summaryRows = await toSummaries(deps, session, keptSummaries);
  const stored = await store.importSession(session.id, rows, summaryRows, receivedUntil);
  if (stored === null) return null;
  const facts = await store.sessionFacts(session.id);
  return {
    messages: stored,
    summaries: facts.summaries.length,
    leftOut: messages.length - stored,
    strategyText: describeStrategy(header.strategy),
  };
}

/** Gives the messages of an archive the ids that they have in the importing session. */
function withLocalIds(archive: Archive, session: Session): Archive {
  const localId = (id: string) => importedId(id, archive.header.session, session.id);
  const messages = archive.messages.map((row) => ({
    ...row,
    id: localId(row.id),
    ...(row.quote !== undefined && { quote: { ...row.quote, id: localId(row.quote.id) } }),
  }));
  return { ...archive, messages };
}

/** Until when the summaries of a session's own archive cover what it received; null for the archive of another session. */
function coveredUntil({ header, messages, summaries }: Archive, session: Session): number | null {
  if (header.session !== session.id || summaries.length === 0 || messages.some(({ id }) => isForeignId(id)))
    return null;
  return Math.max(...summaries.map(({ through }) => Date.parse(through)));
}

async function optedOutAuthors(
  { store }: Dependencies,
  session: Session,
  messages: readonly ArchiveMessage[],
): Promise<Set<string>> {
  const scope = personScope(session);
  const authors = messages.flatMap(({ author, quote }) => [
    author.id,
    ...(quote === undefined ? [] : [quote.author.id]),
  ]);
  const optedOut = new Set<string>();
  for (const id of new Set(authors)) if ((await store.optOut(scope, id)).optedOut) optedOut.add(id);
  return optedOut;
}

function toMessage(sessionId: string, row: ArchiveMessage, optedOut: ReadonlySet<string>): NewMessage {
  const { role, id, author, time, state, text } = row;
  const quote = row.quote === undefined || optedOut.has(row.quote.author.id) ? null : row.quote;
  return {
    sessionId,
    platformId: id,
    role,
    authorId: author.id,
    authorName: author.name,
    text,
    quote: quote && {
      platformId: quote.id,
      authorId: quote.author.id,
      authorName: quote.author.name,
      text: quote.text,
    },
    createdAt: Date.parse(time),
    state,
  };
}

/** An archive may come from anywhere, so its summaries are cut to the session's cap and counted. */
async function toSummaries(
  { store, counter, summaryModel }: Dependencies,
  session: Session,
  summaries: readonly ArchiveSummary[],
): Promise<ImportedSummary[]> {
  const cap = summaryCap((await strategyFor(store, session)).value);
  const { encoding } = summaryModel;
  return Promise.all(
    summaries.map(async ({ covers, beyond, from, through, model, createdAt, text }) => {
      const times = { fromAt: Date.parse(from), throughAt: Date.parse(through), createdAt: Date.parse(createdAt) };
      return { ...(await fitSummary(counter, text, cap, encoding)), encoding, model, covers, beyond, ...times };
    }),
  );
}
