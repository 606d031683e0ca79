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
import { personScope, type Session, settingScopes } from '../conversation/session.js';
import { DEFAULT_STRATEGY, type Strategy, strategySchema } from '../conversation/settings.js';
import type { ConversationStore } from '../conversation/store.js';
import { describeStrategy } from '../memory/strategy-options.js';
import type { Dependencies } from './dependencies.js';
import { summaryCap } from './fold.js';
import { settingsFor } from './settings.js';
import { capSummary } from './summarizer.js';

/** What an export reads of a store. */
type ArchiveSource = Pick<ConversationStore, 'loadSpan' | 'sessionFacts' | 'loadSettings'>;

const PAGE = 500;

/**
 * The rows of a session's archive: the header, every settled message, and every summary that is not waiting to be made
 * anew. `now` is in milliseconds since 1970.
 */
export async function* exportRows(
  store: ArchiveSource,
  session: Session,
  now: number,
): AsyncGenerator<ArchiveHeader | ArchiveMessage | ArchiveSummary> {
  const { id: sessionId } = session;
  const strategy = await strategyOf(store, session);
  const { summaries, sweptThrough } = await store.sessionFacts(sessionId);
  const clean = summaries.filter(({ dirty }) => !dirty).map((summary) => ({ summary, covers: 0 }));
  yield { keepsake: ARCHIVE_VERSION, session: sessionId, exportedAt: inUtc(now), strategy };
  for (let after = 0; ; ) {
    const page = await store.loadSpan(sessionId, after, Number.MAX_SAFE_INTEGER, PAGE);
    for (const message of page) {
      for (const entry of clean) if (message.seq <= entry.summary.throughSeq) entry.covers += 1;
      yield toArchive(message);
    }
    after = page.at(-1)?.seq ?? after;
    if (page.length < PAGE) break;
  }
  for (const { summary, covers } of clean) {
    yield {
      type: 'summary',
      covers,
      beyond: sweptThrough >= summary.fromSeq,
      from: inUtc(summary.fromAt),
      through: inUtc(summary.throughAt),
      model: summary.model,
      createdAt: inUtc(summary.createdAt),
      text: summary.text,
    };
  }
}

/** The strategy in force; the nearest scope that holds one decides. */
async function strategyOf(store: ArchiveSource, session: Session): Promise<Strategy> {
  const scopes = settingScopes(session);
  const stored = (await store.loadSettings(scopes)).filter(({ key }) => key === 'strategy');
  for (const scope of scopes) {
    const parsed = strategySchema.safeParse(stored.find(({ scopeId }) => scopeId === scope)?.value);
    if (parsed.success) return parsed.data;
  }
  return DEFAULT_STRATEGY;
}

function toArchive({ role, platformId, authorId, authorName, createdAt, state, text, quote }: Message): ArchiveMessage {
  return {
    type: 'message',
    role,
    id: platformId,
    author: { id: authorId, name: authorName },
    time: inUtc(createdAt),
    state: state === 'pending' ? 'failed' : state,
    text,
    ...(quote !== null && {
      quote: { id: quote.platformId, author: { id: quote.authorId, name: quote.authorName }, text: quote.text },
    }),
  };
}

function inUtc(at: number): string {
  return new Date(at).toISOString();
}

/** What an import did: rows stored and left out, and the strategy, as one would type it, that they come from. */
export type ImportReceipt = { messages: number; summaries: number; leftOut: number; strategyText: string };

/**
 * Stores an archive in a session, all or nothing; null when the session remembers anything, since nothing is overwritten.
 * Left out is what was erased here before, what people said who have opted out here, and summaries over it. Messages of
 * another session get ids that are none of this one's platform.
 * @throws {CommandError} naming the first faults by line; nothing was stored then.
 */
async function importArchive(deps: Dependencies, session: Session, content: string): Promise<ImportReceipt | null> {
  const archive = atHome(await readArchiveInSlices(content, deps.clock()), session);
  const { header, messages, summaries } = archive;
  const silent = await optedOut(deps, session, messages);
  const questions = new Set(
    messages.filter((row) => row.role === 'user' && silent.has(row.author.id)).map(({ id }) => id),
  );
  const stays = (row: ArchiveMessage) => (row.role === 'user' ? !silent.has(row.author.id) : !questions.has(row.id));
  const firstGone = messages.findIndex((row) => !stays(row));
  const kept = messages.filter(stays).map((row) => toMessage(session.id, row, silent));
  const whole = summaries.filter(({ covers }) => firstGone === -1 || covers <= firstGone);
  await deps.store.openSession(session);
  const heardUntil = lastHeard(archive, session) ?? deps.clock();
  const stored = await deps.store.importSession(session.id, kept, await counted(deps, session, whole), heardUntil);
  if (stored === null) return null;
  const facts = await deps.store.sessionFacts(session.id);
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
  if (header.session !== session.id || summaries.length === 0 || messages.some(({ id }) => isForeignId(id)))
    return null;
  return Math.max(...summaries.map(({ through }) => Date.parse(through)));
}

async function optedOut(
  deps: Dependencies,
  session: Session,
  messages: readonly ArchiveMessage[],
): Promise<Set<string>> {
  const scope = personScope(session);
  const people = messages.flatMap(({ author, quote }) => [
    author.id,
    ...(quote === undefined ? [] : [quote.author.id]),
  ]);
  const silent = new Set<string>();
  for (const id of new Set(people)) if ((await deps.store.optOut(scope, id)).optedOut) silent.add(id);
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
  deps: Dependencies,
  session: Session,
  summaries: readonly ArchiveSummary[],
): Promise<ImportedSummary[]> {
  const cap = summaryCap((await settingsFor(deps.store, session, deps.options)).strategy.value);
  const { encoding } = deps.summaryModel;
  return Promise.all(
    summaries.map(async ({ covers, beyond, from, through, model, createdAt, text: full }) => {
      const text = await capSummary(deps.counter, full, cap, encoding);
      const [tokens = 0] = await deps.counter.count([text], encoding);
      const times = { fromAt: Date.parse(from), throughAt: Date.parse(through), createdAt: Date.parse(createdAt) };
      return { text, tokens, encoding, model, covers, beyond, ...times };
    }),
  );
}

/** Exports and imports of whole sessions. */
export class Archives {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** The rows of a session's archive, header first. */
  export(session: Session): AsyncGenerator<ArchiveHeader | ArchiveMessage | ArchiveSummary> {
    return exportRows(this.#deps.store, session, this.#deps.clock());
  }

  /**
   * Stores an archive in a session that remembers nothing, all or nothing; null when it remembers anything.
   * @throws {CommandError} naming the first errors by line.
   */
  async import(session: Session, content: string): Promise<ImportReceipt | null> {
    const receipt = await importArchive(this.#deps, session, content);
    if (receipt !== null) this.#deps.compaction.enqueue(session);
    return receipt;
  }
}
