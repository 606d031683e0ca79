import type { Completion } from './model.js';

/** The text of a model as it comes, and how it ended. */
export type TextStream = AsyncGenerator<string, Completion, void>;

/** Passes a stream on and shows each piece to `onPiece` first; whoever stops reading it stops the stream as well. */
export async function* tapped(stream: TextStream, onPiece: (piece: string) => void): TextStream {
  try {
    for (;;) {
      const step = await stream.next();
      if (step.done === true) return step.value;
      onPiece(step.value);
      yield step.value;
    }
  } finally {
    await stream.return(undefined as never);
  }
}

/** Reads a stream to its end. */
export async function gathered(stream: TextStream): Promise<{ text: string; completion: Completion }> {
  let text = '';
  for (;;) {
    const step = await stream.next();
    if (step.done === true) return { text, completion: step.value };
    text += step.value;
  }
}
