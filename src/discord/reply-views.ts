import type { Words } from '../words/en.js';
import type { View } from './reply-channel.js';
import { MESSAGE_LIMIT, splitAnswer } from './split.js';

/** An answer of more messages than this ends in one more that carries the whole of it as a file. */
export const MESSAGES_AT_MOST = 5;

/** What a text is shown with: the stop button while it streams, a remark that is not part of it, and a file for its rest. */
export type ViewState = { streaming: boolean; line: string | null; attach: boolean };

/**
 * The messages that show a text. While it streams, the newest has the stop button, and nothing is added after
 * `MESSAGES_AT_MOST`. Where nothing may be attached, the last one says so.
 */
export function viewsOf(text: string, { streaming, line, attach }: ViewState, words: Words['reply']): View[] {
  const chunks = splitAnswer(text, { most: MESSAGES_AT_MOST + 1 });
  const views = chunks.slice(0, MESSAGES_AT_MOST).map(plainView);
  const newest = views.at(-1);
  if (streaming) {
    if (newest !== undefined) newest.stoppable = true;
    return views;
  }
  if (chunks.length > MESSAGES_AT_MOST) {
    views.push(attach ? { ...plainView(words.wholeInFile), file: text } : plainView(words.cannotAttach));
  }
  return line === null ? views : withLine(views, line);
}

/** Adds the remark to the last message in small print, or as a message of its own where it does not fit. */
function withLine(views: View[], line: string): View[] {
  const last = views.at(-1);
  const content = last === undefined ? line : `${last.content}\n-# ${line}`;
  if (last === undefined || content.length > MESSAGE_LIMIT) return [...views, plainView(line)];
  return [...views.slice(0, -1), { ...last, content }];
}

/** A message to which nothing more comes: without a button, and with the remark where it fits. */
export function closedView({ content, file }: View, remark: string): View {
  const whole = content === '' ? remark : `${content}\n-# ${remark}`;
  return { content: whole.length > MESSAGE_LIMIT ? content : whole, stoppable: false, file };
}

/** A message that shows a text and nothing else. */
export function plainView(content: string): View {
  return { content, stoppable: false, file: null };
}
