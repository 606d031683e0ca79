import Sqlite from 'better-sqlite3';
import type { FakeDiscord } from '../../test/support/fake-discord/index.js';
import { answerMark } from './endpoint.js';
import type { Ledger } from './ledger.js';

/** What became of all that was said, by the database and by what Discord shows. */
export type Verdict = {
  said: number;
  /** Messages that the database does not hold, or holds more than once. */
  lost: number;
  doubled: number;
  asked: number;
  /** Questions that still wait, that have no answer or notice to be seen, and that have more than one answer. */
  waiting: number;
  silent: number;
  answeredTwice: number;
  /** What SQLite's own check of the file says, unless it is fine. */
  unsound: string[];
};

type Row = { sessionId: string; platformId: string; state: string; copies: number };

/** Compares what was said with what the database holds and Discord shows. */
export function judge(databasePath: string, ledger: Ledger, discord: FakeDiscord): Verdict {
  const rows = readRows(databasePath);
  const { said } = ledger;
  const key = (channelId: string, id: string) => `discord:${channelId} ${id}`;
  const stored = new Map(rows.questions.map((row) => [`${row.sessionId} ${row.platformId}`, row]));
  const all = [...said.values()];
  const found = all.map(({ channelId, id }) => stored.get(key(channelId, id)));
  const asked = ledger.asked();
  const shown = showing(discord, new Set(asked.map(({ channelId }) => channelId)));
  const answers = asked.map(({ channelId, mark }) => {
    const begins = answerMark(mark ?? '');
    return (shown.get(channelId) ?? []).filter(({ content }) => content.startsWith(begins)).length;
  });
  const silent = asked.filter(({ channelId, id }) => {
    // What waited together is answered together, or given up together, in reply to the last of it.
    const replied = (shown.get(channelId) ?? []).some(({ repliesTo }) => BigInt(repliesTo ?? 0) >= BigInt(id));
    return !replied && stored.get(key(channelId, id))?.state !== 'answered' && !isMarked(discord, channelId, id);
  });
  return {
    said: all.length,
    lost: found.filter((row) => row === undefined).length,
    doubled: found.filter((row) => (row?.copies ?? 0) > 1).length,
    asked: asked.length,
    waiting: rows.waiting,
    silent: silent.length,
    answeredTwice: answers.filter((count) => count > 1).length,
    unsound: rows.unsound,
  };
}

/** A mark is how the bot ends a question in a place that was told already. */
function isMarked(discord: FakeDiscord, channelId: string, id: string): boolean {
  const message = discord.messagesIn({ id: channelId }).find((each) => each.id === id);
  return (message?.reactions ?? []).length > 0;
}

function readRows(path: string): { questions: Row[]; waiting: number; unsound: string[] } {
  const db = new Sqlite(path, { readonly: true });
  try {
    const questions = db
      .prepare(
        `SELECT session_id AS sessionId, platform_id AS platformId, max(state) AS state, count(*) AS copies
         FROM messages WHERE role = 'user' GROUP BY session_id, platform_id`,
      )
      .all() as Row[];
    const waiting = db.prepare(`SELECT count(*) FROM messages WHERE state = 'pending'`).pluck().get() as number;
    const checks = (db.pragma('integrity_check') as { integrity_check: string }[]).map((row) => row.integrity_check);
    return { questions, waiting, unsound: checks.filter((line) => line !== 'ok') };
  } finally {
    db.close();
  }
}

function showing(discord: FakeDiscord, channelIds: ReadonlySet<string>) {
  const shown = new Map<string, { content: string; repliesTo: string | null }[]>();
  for (const id of channelIds) {
    const messages = discord.botMessagesIn({ id });
    const own = messages.map((each) => ({
      content: each.content,
      repliesTo: each.message_reference?.message_id ?? null,
    }));
    shown.set(id, own);
  }
  return shown;
}
