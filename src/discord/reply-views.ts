import type { Words } from '../words/en.js';
import type { View } from './reply-channel.js';
import { MESSAGE_LIMIT, splitAnswer } from './split.js';

/** An answer of more messages than this ends in one more that carries the whole of it as a file. */
export const MESSAGES_AT_MOST = 5;

/**
 * The messages that show a text. While it streams, the newest has the stop button, and nothing is added after
 * `MESSAGES_AT_MOST`. `line` is a remark below the text that is not part of it.
 */
export function viewsOf(text: string, streaming: boolean, line: string | null, words: Words['reply']): View[] {
  const chunks = splitAnswer(text, { most: MESSAGES_AT_MOST + 1 });
  const views = chunks.slice(0, MESSAGES_AT_MOST).map(plainView);
  const newest = views.at(-1);
  if (streaming) {
    if (newest !== undefined) newest.stoppable = true;
    return views;
  }
  if (chunks.length > MESSAGES_AT_MOST) views.push({ ...plainView(words.wholeInFile), file: text });
  return line === null ? views : withLine(views, line);
}

/** Adds the remark to the last message in small print, or as a message of its own where it does not fit. */
function withLine(views: View[], line: string): View[] {
  const last = views.at(-1);
  const content = last === undefined ? line : `${last.content}\n-# ${line}`;
  if (last === undefined || content.length > MESSAGE_LIMIT) return [...views, plainView(line)];
  return [...views.slice(0, -1), { ...last, content }];
}

function plainView(content: string): View {
  return { content, stoppable: false, file: null };
}
