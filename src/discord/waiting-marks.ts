import type { Message } from 'discord.js';
import type { Mutes } from './mutes.js';
import { react, unreact } from './tell.js';

/** The mark of a question that waits for an earlier answer in its session. */
const WAITING_MARK = '\u{23F3}';

/** The marks of the questions that wait. */
export type WaitingMarks = {
  /** Marks a message; nothing waits for it. */
  mark(message: Message): void;
  /** Takes the marks of these messages away, as far as they have one; `near` is any message of their channel. Never rejects. */
  unmark(near: Message, messageIds: readonly string[]): Promise<void>;
};

/** Starts with none; channels that refuse reactions are muted for them. */
export function createWaitingMarks(mutes: Mutes): WaitingMarks {
  const marked = new Map<string, Promise<boolean>>();
  return {
    mark(message) {
      marked.set(
        message.id,
        react({ mutes }, message, WAITING_MARK).catch(() => false),
      );
    },
    async unmark(near, messageIds) {
      for (const id of messageIds) {
        const mark = marked.get(id);
        marked.delete(id);
        // A question may be taken up while its mark is still on the way.
        if (await mark) await unreact({ mutes }, near, id, WAITING_MARK).catch(() => false);
      }
    },
  };
}
