/** A channel that can show that the bot is typing. */
export type TypingChannel = { sendTyping(): Promise<unknown> };

/** Discord shows typing for ten seconds; it is asked for again before that. */
const REFRESH_MS = 8_000;
const LONGEST_MS = 120_000;

/**
 * Shows the typing indicator until the returned function is called, for two minutes at most. Refusals are ignored; after
 * one that will not change (403, 404) it is not asked for again.
 */
export function startTyping(channel: TypingChannel): () => void {
  let asking = false;
  const ask = async () => {
    if (asking) return;
    asking = true;
    try {
      await channel.sendTyping();
    } catch (error) {
      if (isFinal(error)) stop();
    }
    asking = false;
  };
  const refresh = setInterval(() => void ask(), REFRESH_MS);
  const end = setTimeout(() => stop(), LONGEST_MS);
  const stop = () => {
    clearInterval(refresh);
    clearTimeout(end);
  };
  refresh.unref();
  end.unref();
  void ask();
  return stop;
}

function isFinal(error: unknown): boolean {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return status === 403 || status === 404;
}
