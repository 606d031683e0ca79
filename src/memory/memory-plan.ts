import type { Message } from '../conversation/message.js';
import type { Summary } from '../conversation/summary.js';

/**
 * What a strategy decided. `messages` are sent, oldest first; `foldThrough` is the last `seq` that a fold should cover
 * (everything above the summary's watermark up to it), null when nothing is to be folded; `limitedBy` tells which limit
 * drew the line when something is stored that is not sent.
 */
export type MemoryPlan = {
  summary: Summary | null;
  messages: Message[];
  foldThrough: number | null;
  limitedBy: 'strategy' | 'budget' | null;
};
