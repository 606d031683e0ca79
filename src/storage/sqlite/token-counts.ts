import { and, eq, sql } from 'drizzle-orm';
import type { TokenCount } from '../../conversation/message.js';
import type { Database } from './database.js';
import { messages } from './schema.js';

/** Writes counts; one is void for a message that is gone, or whose text or quote is another by now. */
export type SaveCounts = (counts: readonly TokenCount[]) => void;

/** Prepares the writing of counts. */
export function prepareCounts(db: Database): SaveCounts {
  const any = sql.placeholder('any');
  const text = sql`${messages.text} = ${sql.placeholder('text')}`;
  const quote = sql`${messages.quoteText} is ${sql.placeholder('quoteText')}`;
  const write = db
    .update(messages)
    .set({ tokens: sql`${sql.placeholder('tokens')}`, encoding: sql`${sql.placeholder('encoding')}` })
    .where(and(eq(messages.seq, sql.placeholder('seq')), sql`(${any} or (${text} and ${quote}))`))
    .prepare();
  return (counts) => {
    for (const { seq, tokens, encoding, of } of counts) {
      const { text, quoteText } = of ?? { text: null, quoteText: null };
      write.run({ seq, tokens, encoding, any: of === undefined ? 1 : 0, text, quoteText });
    }
  };
}
