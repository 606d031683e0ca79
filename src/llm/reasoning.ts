/** Takes a model's reasoning out of its answer while it streams. */
export type ReasoningFilter = {
  /** Takes a piece in and gives what may be shown of it. */
  push(piece: string): string;
  /** Gives what was still held back. `complete` is false when the model was stopped in the middle. */
  end(complete: boolean): string;
  /** Characters that are held back and may yet be given. */
  held(): number;
  /** True when a `</think>` came without its opening tag, which then stood in the server's template. */
  sawUnopenedTag(): boolean;
  /** True when such a tag came after text had been given: what was given was reasoning, not an answer. */
  leaked(): boolean;
};

const OPEN = '<think>';
const CLOSE = '</think>';
/** A tag in backticks is talked about, not used. */
const TAG = /(?<!`)<\/?think>/u;

/** How many characters at the end could be the beginning of a tag. */
function partialTag(text: string): number {
  const at = text.lastIndexOf('<');
  const tail = at === -1 ? '' : text.slice(at);
  return tail !== '' && (OPEN.startsWith(tail) || CLOSE.startsWith(tail)) ? tail.length : 0;
}

/**
 * Makes a filter for one answer. `<think>…</think>` is dropped wherever it stands, and an unclosed one to the end. Some
 * servers' templates open the reasoning themselves, so that only `</think>` is seen. With `unmarked` such a server is
 * expected and all is held back until the tag or the end; without it text is given as it comes, and a tag that turns up
 * after text shows in `betrayed`. Nothing else is held back but what could be the beginning of a tag.
 */
export function createReasoningFilter(unmarked: boolean): ReasoningFilter {
  let state: 'answer' | 'thinking' | 'undecided' = unmarked ? 'undecided' : 'answer';
  let buffer = '';
  let kept = '';
  let previous = '';
  let started = false;
  let orphan = false;
  let betrayed = false;

  /** Takes so many characters out of the buffer, and gives them if they belong to the answer. */
  const consume = (length: number): string => {
    const text = buffer.slice(0, length);
    buffer = buffer.slice(length);
    previous = text.at(-1) ?? previous;
    if (state === 'undecided') kept += text;
    if (state !== 'answer') return '';
    const shown = started ? text : text.trimStart();
    started ||= shown !== '';
    return shown;
  };
  const skip = (tag: string): void => {
    state = tag === OPEN ? 'thinking' : 'answer';
    buffer = buffer.slice(tag.length);
    kept = '';
    previous = '>';
  };

  return {
    push: (piece) => {
      const givenBefore = started;
      let shown = '';
      buffer += piece;
      for (;;) {
        const found = TAG.exec(previous + buffer);
        if (found === null) break;
        shown += consume(found.index - previous.length);
        if (found[0] === CLOSE && state !== 'thinking') {
          orphan = true;
          betrayed ||= givenBefore;
          started = givenBefore;
          shown = '';
        }
        skip(found[0]);
      }
      return shown + consume(buffer.length - partialTag(buffer));
    },
    end: (complete) => {
      if (state === 'undecided' && complete) {
        state = 'answer';
        buffer = kept + buffer;
      }
      return consume(buffer.length);
    },
    held: () => kept.length + buffer.length,
    sawUnopenedTag: () => orphan,
    leaked: () => betrayed,
  };
}
