import type { FakeDiscord, RestEntry } from '../../test/support/fake-discord/index.js';

/** A message that somebody said; times are of this process's clock, in milliseconds, and NaN until they came. */
export type Said = {
  id: string;
  channelId: string;
  /** The mark of a question, or null for talk that is not addressed to the bot. */
  mark: string | null;
  saidAt: number;
  typingAt: number;
  postedAt: number;
  /** When the answer's last edit took its button away. */
  doneAt: number;
};

/** Everything that was said to the bot, and when the bot did what about it. */
export type Ledger = {
  said: Map<string, Said>;
  /** Requests of the bot by second of this process's clock, and how many were refused with 429. */
  requests: { bySecond: Map<number, number>; refused: number; total: number };
  note(id: string, channelId: string, mark: string | null, saidAt: number): void;
  asked(): Said[];
  /** Questions that were not answered in full yet. */
  open(): number;
};

/** Watches a fake Discord's journal for as long as it lives. */
export function keepLedger(discord: FakeDiscord): Ledger {
  const said = new Map<string, Said>();
  const typing = new Map<string, Said>();
  const replies = new Map<string, string>();
  const open = new Map<string, Said[]>();
  const requests: Ledger['requests'] = { bySecond: new Map(), refused: 0, total: 0 };
  const count = (now: number) => {
    const second = Math.floor(now / 1_000);
    requests.total += 1;
    requests.bySecond.set(second, (requests.bySecond.get(second) ?? 0) + 1);
  };
  /** Questions that waited before it in its channel were answered with it, or before. */
  const finish = (question: Said | undefined, now: number) => {
    const waiting = open.get(question?.channelId ?? '') ?? [];
    const ended = question === undefined ? [] : waiting.splice(0, waiting.indexOf(question) + 1);
    for (const each of ended) each.doneAt = now;
  };
  const began = ({ method, path, body }: RestEntry, now: number) => {
    const channel = /^\/channels\/(\d+)\/(typing|messages)$/u.exec(path);
    if (method !== 'POST' || channel === null) return;
    if (channel[2] === 'typing') {
      const question = typing.get(channel[1] ?? '');
      if (question !== undefined && Number.isNaN(question.typingAt)) question.typingAt = now;
      return;
    }
    const question = said.get(repliedTo(body));
    if (question !== undefined && Number.isNaN(question.postedAt)) question.postedAt = now;
  };
  const ended = ({ method, body, answer, status, path }: RestEntry, now: number) => {
    if (status === 429) requests.refused += 1;
    if (status !== 200 || (method !== 'POST' && method !== 'PATCH') || !/\/messages(\/\d+)?$/u.test(path)) return;
    const { id = '', components = [] } = (answer ?? {}) as { id?: string; components?: unknown[] };
    if (method === 'POST' && said.has(repliedTo(body))) replies.set(id, repliedTo(body));
    if (components.length === 0) finish(said.get(replies.get(id) ?? ''), now);
  };
  const never = discord.journal.waitFor(
    (entry) => {
      if (entry.kind !== 'rest') return false;
      const now = performance.now();
      if (entry.outcome === 'pending') {
        count(now);
        began(entry, now);
      } else ended(entry, now);
      return false;
    },
    { timeoutMs: 2 ** 31 - 1 },
  );
  never.catch(() => {});
  return {
    said,
    requests,
    note(id, channelId, mark, saidAt) {
      const fresh = { id, channelId, mark, saidAt, typingAt: Number.NaN, postedAt: Number.NaN, doneAt: Number.NaN };
      said.set(id, fresh);
      if (mark === null) return;
      typing.set(channelId, fresh);
      open.set(channelId, [...(open.get(channelId) ?? []), fresh]);
    },
    asked: () => [...said.values()].filter(({ mark }) => mark !== null),
    open: () => [...open.values()].reduce((sum, waiting) => sum + waiting.length, 0),
  };
}

function repliedTo(body: unknown): string {
  return (body as { message_reference?: { message_id?: string } } | null)?.message_reference?.message_id ?? '';
}
