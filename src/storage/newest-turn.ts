import type { Message } from '../conversation/message.js';

/**
 * The first of the rows that make up a turn, given what was said since the answer before it: its first question. Talk
 * that was only heard before that, and questions of an earlier turn that failed, do not belong to it.
 */
export function firstQuestion<T extends Pick<Message, 'state'>>(said: readonly T[]): T | undefined {
  return (
    said.find(({ state }) => state === 'answered' || state === 'pending') ??
    said.findLast(({ state }) => state === 'failed')
  );
}
