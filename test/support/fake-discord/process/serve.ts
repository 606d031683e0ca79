import type { FakeDiscordOptions } from '../options.js';
import { type FakeDiscord, startFakeDiscord } from '../start.js';
import { type RemoteCall, type RemoteResult, withoutFunctions } from './calls.js';

/** Serves the parent's calls over IPC; ends when the parent goes away. */
export function serveFakeDiscord(): void {
  let discord: FakeDiscord | undefined;
  const perform = async ({ path, args }: RemoteCall): Promise<unknown> => {
    if (path[0] !== 'start') return callFunction(discord, path, args);
    discord = await startFakeDiscord(args[0] as Partial<FakeDiscordOptions>);
    return withoutFunctions(discord);
  };
  process.on('message', (message) => {
    const { id } = message as RemoteCall;
    perform(message as RemoteCall).then(
      (value) => sendResult({ id, value: withoutFunctions(value) }),
      (error: Error) => sendResult({ id, error: error.stack ?? String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
  sendResult({ id: 0 });
}

function sendResult(result: RemoteResult): void {
  process.send?.(result);
}

async function callFunction(
  discord: FakeDiscord | undefined,
  path: readonly string[],
  args: unknown[],
): Promise<unknown> {
  let target: unknown = discord;
  for (const name of path) target = (target as Record<string, unknown> | undefined)?.[name];
  if (typeof target !== 'function') throw new Error(`the fake Discord has no function ${path.join('.')}`);
  return await (target as (...given: unknown[]) => unknown)(...args);
}
