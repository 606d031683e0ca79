import {
  ARCHIVE_VERSION,
  type ArchiveHeader,
  type ArchiveMessage,
  type ArchiveSummary,
} from '../conversation/archive.js';
import type { Message } from '../conversation/message.js';
import { type Session, settingScopes } from '../conversation/session.js';
import { DEFAULT_STRATEGY, type Strategy, strategySchema } from '../conversation/settings.js';
import type { ConversationStore } from '../conversation/store.js';

/** What an export reads of a store. */
export type ArchiveSource = Pick<ConversationStore, 'loadSpan' | 'sessionFacts' | 'loadSettings'>;

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
