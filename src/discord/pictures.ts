import type { PromptImage } from '../conversation/model.js';

/** The pictures of questions that wait for their answer, by message; they are never stored. */
export class Pictures {
  readonly #byMessage = new Map<string, readonly PromptImage[]>();

  /** Keeps the pictures of a message until it is let go. */
  keep(messageId: string, images: readonly PromptImage[]): void {
    if (images.length > 0) this.#byMessage.set(messageId, images);
  }

  /** All pictures of some messages, in their order. */
  of(messageIds: readonly string[]): readonly PromptImage[] {
    return messageIds.flatMap((id) => this.#byMessage.get(id) ?? []);
  }

  /** Lets the pictures of a message go. */
  drop(messageId: string): void {
    this.#byMessage.delete(messageId);
  }
}
