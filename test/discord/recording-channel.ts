import type { MessageView, PostOptions, PostResult, ReplyChannel } from '../../src/discord/answers/target.js';
import { DeliveryError } from '../../src/discord/shared/delivery-error.js';

/** A request as the channel got it; `at` is the time of the (faked) clock. */
export type Recorded = {
  kind: 'post' | 'edit' | 'remove';
  at: number;
  id: string;
  view?: MessageView;
  posting?: PostOptions;
};

/** A channel in memory that keeps nonces as Discord does, records its requests, and fails when told to. */
export type RecordingChannel = ReplyChannel & {
  requests: Recorded[];
  messages: Map<string, MessageView>;
  /** The most requests that were under way at once. */
  atOnce: number;
  /** Milliseconds that a request takes. */
  latency: number;
  /** Asked before each request; an error rejects it before it does anything. */
  refuse: (kind: Recorded['kind'], id: string) => Error | null;
};

export function recordingChannel(): RecordingChannel {
  const byNonce = new Map<string, string>();
  let underWay = 0;
  const request = async <T>(recorded: Omit<Recorded, 'at'>, act: () => T): Promise<T> => {
    channel.requests.push({ ...recorded, at: Date.now() });
    underWay += 1;
    channel.atOnce = Math.max(channel.atOnce, underWay);
    try {
      if (channel.latency > 0) await new Promise((resolve) => setTimeout(resolve, channel.latency));
      const error = channel.refuse(recorded.kind, recorded.id);
      if (error !== null) throw error;
      return act();
    } finally {
      underWay -= 1;
    }
  };
  const found = (id: string) => {
    if (!channel.messages.has(id)) throw new DeliveryError('gone');
    return id;
  };
  const channel: RecordingChannel = {
    id: 'c1',
    requests: [],
    messages: new Map(),
    atOnce: 0,
    latency: 0,
    refuse: () => null,
    post(view, posting): Promise<PostResult> {
      return request({ kind: 'post', id: posting.nonce, view, posting }, () => {
        const known = byNonce.get(posting.nonce);
        if (known !== undefined) return { id: known, same: false };
        const id = `m${channel.messages.size}`;
        byNonce.set(posting.nonce, id);
        channel.messages.set(id, view);
        return { id, same: true };
      });
    },
    edit: (id, view) => request({ kind: 'edit', id, view }, () => void channel.messages.set(found(id), view)),
    remove: (id) => request({ kind: 'remove', id }, () => void channel.messages.delete(found(id))),
  };
  return channel;
}

/** A stream of pieces that a test feeds by hand. */
export function handFedPieces() {
  const waiting: ((step: () => IteratorResult<string, void>) => void)[] = [];
  const steps: (() => IteratorResult<string, void>)[] = [];
  let returned = false;
  const put = (step: () => IteratorResult<string, void>) => {
    const next = waiting.shift();
    if (next === undefined) steps.push(step);
    else next(step);
  };
  const take = () =>
    new Promise<() => IteratorResult<string, void>>((resolve) => {
      const step = steps.shift();
      if (step === undefined) waiting.push(resolve);
      else resolve(step);
    });
  return {
    push: (value: string) => put(() => ({ done: false, value })),
    end: () => put(() => ({ done: true, value: undefined })),
    fail: (error: unknown) =>
      put(() => {
        throw error;
      }),
    /** Whether the reader gave up before the end. */
    returned: () => returned,
    pieces: {
      [Symbol.asyncIterator]: () => ({
        next: async () => (await take())(),
        return: async () => {
          returned = true;
          return { done: true as const, value: undefined };
        },
      }),
    },
  };
}
