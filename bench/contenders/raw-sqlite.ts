import type { Strategy } from '#dist/conversation/settings.js';
import { type Client, connect } from '#dist/storage/sqlite/connection.js';
import type { Contender } from '../support/measure.js';
import { roughTokens, SUMMARY } from '../support/models.js';
import { platformId, sessionId, sessionsFor } from '../support/seed.js';
import type { Stopwatch } from '../support/stopwatch.js';
import { createTalk, nextExchange } from '../support/talk.js';
import type { Course } from './keepsake.js';

type Row = { seq: number; role: string; author_name: string; text: string; tokens: number };
type Recalled = { summary: { text: string; through_seq: number } | undefined; rows: Row[] };

const FIRST_QUESTION = 20_000_000;

/**
 * The limit: the same rows in the same tables with the same pragmas, and nothing else. The question is inserted and
 * committed, the strategy's rows are read and strung together, the answer is inserted and committed.
 */
export function openRawSqlite(course: Course, stopwatch?: Stopwatch): Contender {
  const client = connect(course.path, { synchronous: course.synchronous ?? 'FULL', busyTimeout: 5_000 });
  const time: Stopwatch['time'] = stopwatch?.time ?? ((_, work) => work());
  const insert = client.prepare(
    `INSERT INTO messages (session_id, platform_id, role, author_id, author_name, text, created_at, state, tokens, encoding)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'answered', ?, 'o200k_base')`,
  );
  const load = prepareLoad(client, course.strategy);
  const fold = prepareFold(client, course.strategy);
  const talk = createTalk(7);
  let next = nextExchange(talk);
  const sessions = sessionsFor(course.messages);
  let turns = 0;
  let id = '';
  const say = (author: [string, string, string], text: string) =>
    time('append', () =>
      insert.run(id, platformId(FIRST_QUESTION + turns), ...author, text, turns, roughTokens(text) + 6),
    );
  return {
    name: course.name,
    turn() {
      id = sessionId(turns % sessions);
      turns += 1;
      const recalled = time('load', () => load(id));
      say(['user', 'ada', 'Ada'], next.question);
      strungTogether(recalled, next.question);
      say(['assistant', 'keepsake', ''], next.answer);
    },
    rest() {
      stopwatch?.lap();
      fold(id, load(id));
      next = nextExchange(talk);
    },
    close: () => void client.close(),
  };
}

/** The prompt as a list of messages, which is the least that a model takes. */
function strungTogether({ summary, rows }: Recalled, question: string) {
  const lines = rows.map(({ role, author_name, text }) => ({
    role,
    content: role === 'user' ? `${author_name}: ${text}` : text,
  }));
  return [
    { role: 'system', content: `persona\n${summary?.text ?? ''}` },
    ...lines,
    { role: 'user', content: question },
  ];
}

function prepareLoad(client: Client, strategy: Strategy): (id: string) => Recalled {
  const select = 'SELECT seq, role, author_name, text, tokens FROM messages WHERE session_id = ?';
  if (strategy.name === 'summary' || strategy.name === 'summary-buffer') {
    const newest = client.prepare<[string], { text: string; through_seq: number }>(
      'SELECT text, through_seq FROM summaries WHERE session_id = ? AND dirty = 0 ORDER BY through_seq DESC LIMIT 1',
    );
    const above = client.prepare<[string, number], Row>(`${select} AND seq > ? ORDER BY seq`);
    return (id) => {
      const summary = newest.get(id);
      return { summary, rows: above.all(id, summary?.through_seq ?? 0) };
    };
  }
  // A bare parameter as the limit would have SQLite plan anew at each call.
  const backwards = client.prepare<[string, number], Row>(`${select} ORDER BY seq DESC LIMIT ? + 0`);
  if (strategy.name === 'window') {
    const { k } = strategy;
    return (id) => ({ summary: undefined, rows: backwards.all(id, k).reverse() });
  }
  const { maxTokens } = strategy;
  return (id) => {
    const rows: Row[] = [];
    let left = maxTokens;
    for (const row of backwards.iterate(id, maxTokens)) {
      left -= row.tokens;
      if (left < 0) break;
      rows.push(row);
    }
    return { summary: undefined, rows: rows.reverse() };
  };
}

/** Keeps the live rows as few as the product does, off the clock. */
function prepareFold(client: Client, strategy: Strategy): (id: string, recalled: Recalled) => void {
  const limits = { summary: [0, 0], 'summary-buffer': [3_000, 1_500] } as const;
  if (strategy.name !== 'summary' && strategy.name !== 'summary-buffer') return () => {};
  const [max, keep] = limits[strategy.name];
  const insert = client.prepare(
    `INSERT INTO summaries (session_id, text, tokens, encoding, from_seq, through_seq, from_at, through_at, model, created_at)
     VALUES (?, ?, ?, 'o200k_base', 1, ?, 0, 0, 'instant', 0)`,
  );
  return (id, { rows }) => {
    let live = rows.reduce((sum, { tokens }) => sum + tokens, 0);
    if (live <= max) return;
    const last = rows.find(({ tokens, role }) => {
      live -= tokens;
      return live <= keep && role === 'assistant';
    });
    insert.run(id, SUMMARY, roughTokens(SUMMARY), last?.seq ?? 0);
  };
}
