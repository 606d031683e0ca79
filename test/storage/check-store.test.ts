import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openStore } from '../../src/storage/open.js';
import { readStore } from '../support/check-store.js';
import { aQuestion, converse, mustAppend, summarize } from '../support/conversation.js';
import { aDatabase } from './files.js';

const MARKS = { pattern: /#\d+/u };

/** A database with three turns, the first of which is folded, and a question that waits. */
async function aLife(): Promise<string> {
  const path = await aDatabase();
  const store = await openStore(path);
  for (const n of [1, 2, 3]) await converse(store, { text: `#${n}` }, { text: `#${n}0` });
  await summarize(store, 2, { text: '#1 and #10' });
  await summarize(store, 4, { text: '#1 #10 #2 #20' });
  await mustAppend(store, aQuestion({ text: '#4' }));
  await store.close();
  return path;
}

it('finds nothing wrong in what the store has written', async () => {
  const { faults, messages, summaries } = readStore(await aLife(), MARKS);
  expect([faults, messages.length, summaries.length]).toEqual([[], 7, 2]);
});

it('lets an answer stand whose turn has lost its last question, but not an earlier one', async () => {
  const path = await aDatabase();
  const store = await openStore(path);
  await mustAppend(store, aQuestion({ text: '#1' }));
  const { question } = await converse(store);
  await store.erase(question.sessionId, [question.platformId], 1);
  await store.close();
  expect(readStore(path)).toMatchObject({ faults: [], messages: [{ role: 'user' }, { role: 'assistant' }] });
});

it.each([
  ['an answer whose question is gone', 'DELETE FROM messages WHERE seq = 5', /answer 6 has no question/u],
  ['an answer before its question', 'UPDATE messages SET seq = 99 WHERE seq = 5', /answer 6 comes before/u],
  [
    'half a settled turn',
    "UPDATE messages SET state = 'pending' WHERE seq = 6",
    /answer 6 is pending, its question answered/u,
  ],
  [
    'a question that waits under a summary',
    'UPDATE summaries SET through_seq = 7 WHERE through_seq = 4',
    /covers what still waits/u,
  ],
  [
    'a watermark that moved back',
    'UPDATE summaries SET through_seq = 6 WHERE through_seq = 2',
    /moves the watermark back/u,
  ],
  [
    'a summary of less than it covers',
    "UPDATE summaries SET text = '#1 #10 #2' WHERE through_seq = 4",
    /tells \[#1,#10,#2\] for/u,
  ],
  [
    'a summary of more than it covers',
    'UPDATE summaries SET through_seq = 3 WHERE through_seq = 4',
    /tells \[#1,#10,#2,#20\] for \[#1,#10,#2\]/u,
  ],
  ['a message that no summary covers', 'UPDATE summaries SET from_seq = 2', /message 1 is neither live nor covered/u],
  ['an orphan', "INSERT INTO participants (author_id, session_id) VALUES ('ada', 'nowhere')", /orphan/u],
])('names %s', async (_, sql, fault) => {
  const path = await aLife();
  const db = new Sqlite(path);
  db.pragma('foreign_keys = OFF');
  db.exec(sql);
  db.close();
  expect(readStore(path, MARKS).faults.join('\n')).toMatch(fault);
});
