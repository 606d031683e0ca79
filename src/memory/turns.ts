import type { Message } from '../conversation/message.js';

type Rows = readonly Pick<Message, 'role'>[];

/** Whether a turn begins at this row: a user message after an answer. The first row of a list is never sure to be one. */
export function startsTurn(rows: Rows, index: number): boolean {
  return rows[index]?.role === 'user' && rows[index - 1]?.role === 'assistant';
}

/** The index from which the newest `turns` answered turns stand; talk after the last answer comes free. */
export function newestTurns(rows: Rows, turns: number): number {
  if (turns === 0) return rows.length;
  let starts = rows.at(-1)?.role === 'assistant' ? 0 : -1;
  for (let index = rows.length - 1; index > 0; index -= 1) {
    if (startsTurn(rows, index)) starts += 1;
    if (starts === turns) return index;
  }
  return 0;
}

/** The first index from `from` on at which a user speaks: no answer is sent without a question before it. */
export function withoutOrphans(rows: Rows, from: number): number {
  let index = from;
  while (rows[index]?.role === 'assistant') index += 1;
  return index;
}
