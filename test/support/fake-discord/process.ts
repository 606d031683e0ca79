import { type ChildProcess, fork } from 'node:child_process';
import { type FakeDiscord, startFakeDiscord } from './start.js';
import type { FakeDiscordOptions } from './state/core.js';

/**
 * The same API in another process: functions give promises, and neither predicates nor handles cross. Use patterns to
 * wait, and `interactions.*` with the id of an interaction in place of its handle.
 */
type Remote<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R
    ? (...args: A) => Promise<Awaited<R>>
    : T[K] extends Record<string, unknown> | object
      ? Remote<T[K]>
      : T[K];
};

/** A fake Discord in a process of its own. `kill` ends it at once, as if the machine had lost its power. */
export type RemoteDiscord = Remote<FakeDiscord> & { kill(): void };

type Caller = (path: string[], args: unknown[]) => Promise<unknown>;

/** Starts a fake Discord in a child process, where it does not share the event loop of the tests. */
export async function startFakeDiscordProcess(options: Partial<FakeDiscordOptions> = {}): Promise<RemoteDiscord> {
  const child = fork(new URL('./process-child.mjs', import.meta.url), {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [],
  });
  const call = await connectChild(child);
  const constants = (await call(['start'], [options])) as Record<string, unknown>;
  const close = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await call(['close'], []);
    child.disconnect();
    await ended;
  };
  const own = { ...constants, close, kill: () => void child.kill('SIGKILL') };
  return remoteProxy(call, [], own) as RemoteDiscord;
}

/** Resolves when the child is listening; then gives the function that calls it. */
async function connectChild(child: ChildProcess): Promise<Caller> {
  const waiting = new Map<number, (result: RemoteResult) => void>();
  let count = 0;
  const expect = (id: number) => new Promise<RemoteResult>((resolve) => waiting.set(id, resolve));
  child.on('message', (message) => {
    const result = message as RemoteResult;
    waiting.get(result.id)?.(result);
    waiting.delete(result.id);
  });
  child.on('exit', (code) => {
    for (const [id, settle] of waiting) settle({ id, error: `the fake Discord's process ended (${code})` });
    waiting.clear();
  });
  const raise = ({ error, value }: RemoteResult) => {
    if (error !== undefined) throw new Error(error);
    return value;
  };
  raise(await expect(0));
  return async (path, args) => {
    count += 1;
    const result = expect(count);
    child.send({ id: count, path, args });
    return raise(await result);
  };
}

function remoteProxy(call: Caller, path: string[], own: Record<string, unknown>): unknown {
  return new Proxy(() => {}, {
    get: (_, name) => {
      if (typeof name !== 'string' || name === 'then') return undefined;
      const constant = own[name];
      const group = typeof constant === 'object' && constant !== null && Object.keys(constant).length === 0;
      return constant === undefined || group ? remoteProxy(call, [...path, name], {}) : constant;
    },
    apply: (_, __, args: unknown[]) => call(path, args),
  });
}

/** A call from the parent: the path of a function in FakeDiscord, or `start`. */
type RemoteCall = { id: number; path: string[]; args: unknown[] };

/** What came of a call. */
type RemoteResult = { id: number; value?: unknown; error?: string };

/** A value without the functions in it, which cannot cross to another process. */
function withoutFunctions(value: unknown): unknown {
  if (typeof value === 'function') return undefined;
  if (Array.isArray(value)) return value.map(withoutFunctions);
  if (typeof value !== 'object' || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const kept = Object.entries(value).filter(([, inner]) => typeof inner !== 'function');
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutFunctions(inner)]));
}

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
