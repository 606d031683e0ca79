/** Removes a model's reasoning from its answer while it streams. */
export type ReasoningFilter = {
  /** Takes a piece of the stream and returns what may be shown so far. */
  push(piece: string): string;
  /** Returns what was still held back. `complete` is false when the model was stopped in the middle. */
  end(complete: boolean): string;
  /** Characters that are held back and may yet be shown. */
  held(): number;
  /** True when a `</think>` came without its opening tag, which is then part of the server's template. */
  sawUnopenedTag(): boolean;
  /** True when such a tag came after text had been shown: that text was reasoning, not an answer. */
  leaked(): boolean;
};

const OPEN = '<think>';
const CLOSE = '</think>';
/** A tag in backticks is quoted, not used. */
const TAG = /(?<!`)<\/?think>/u;

/**
 * Creates a filter for one answer. `<think>…</think>` is dropped wherever it stands, and an unclosed one to the end.
 * Some servers' templates open the reasoning themselves, so that only `</think>` arrives. With `unopened` that is
 * expected and all text is held back until the tag or the end; without it text is shown at once, and a tag that comes
 * after text makes `leaked` true. Apart from that only what could be the beginning of a tag is held back.
 */
export function createReasoningFilter(unopened: boolean): ReasoningFilter {
  let state: 'answer' | 'reasoning' | 'undecided' = unopened ? 'undecided' : 'answer';
  let buffer = '';
  /** Text of the undecided state: the answer after all, if no tag comes. */
  let undecided = '';
  let previous = '';
  let hasShown = false;
  let sawUnopenedTag = false;
  let leaked = false;

  /** Takes characters out of the buffer, and returns them if they belong to the answer. */
  const consume = (length: number): string => {
    const text = buffer.slice(0, length);
    buffer = buffer.slice(length);
    previous = text.at(-1) ?? previous;
    if (state === 'undecided') undecided += text;
    if (state !== 'answer') return '';
    const shown = hasShown ? text : text.trimStart();
    hasShown ||= shown !== '';
    return shown;
  };
  const skipTag = (tag: string): void => {
    state = tag === OPEN ? 'reasoning' : 'answer';
    buffer = buffer.slice(tag.length);
    undecided = '';
    previous = '>';
  };

  return {
    push: (piece) => {
      const hadShown = hasShown;
      let shown = '';
      buffer += piece;
      for (;;) {
        const match = TAG.exec(previous + buffer);
        if (match === null) break;
        shown += consume(match.index - previous.length);
        if (match[0] === CLOSE && state !== 'reasoning') {
          sawUnopenedTag = true;
          leaked ||= hadShown;
          hasShown = hadShown;
          shown = '';
        }
        skipTag(match[0]);
      }
      return shown + consume(buffer.length - partialTagLength(buffer));
    },
    end: (complete) => {
      if (state === 'undecided' && complete) {
        state = 'answer';
        buffer = undecided + buffer;
      }
      return consume(buffer.length);
    },
    held: () => undecided.length + buffer.length,
    sawUnopenedTag: () => sawUnopenedTag,
    leaked: () => leaked,
  };
}

/** How many characters at the end could be the beginning of a tag. */
function partialTagLength(text: string): number {
  const start = text.lastIndexOf('<');
  const tail = start === -1 ? '' : text.slice(start);
  return tail !== '' && (OPEN.startsWith(tail) || CLOSE.startsWith(tail)) ? tail.length : 0;
}
