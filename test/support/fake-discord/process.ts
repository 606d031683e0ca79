import { type ChildProcess, fork } from 'node:child_process';
import { type FakeDiscord, startFakeDiscord } from './start.js';
import type { FakeDiscordOptions } from './state/core.js';

/**
 * The API of an object in another process: all functions return promises. Functions do not cross, so patterns take the
 * place of predicates, and `interactions.*` with an interaction's id that of its handle.
 */
type Remote<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R
    ? (...args: A) => Promise<Awaited<R>>
    : T[K] extends Record<string, unknown> | object
      ? Remote<T[K]>
      : T[K];
};

/** A fake Discord in a child process. `kill` ends it with SIGKILL. */
export type RemoteDiscord = Remote<FakeDiscord> & { kill(): void };

type RemoteFunction = (path: string[], args: unknown[]) => Promise<unknown>;

/** Starts a fake Discord in a child process, where it does not share the tests' event loop. */
export async function startFakeDiscordProcess(options: Partial<FakeDiscordOptions> = {}): Promise<RemoteDiscord> {
  const child = fork(new URL('./process-child.mjs', import.meta.url), {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [],
  });
  const call = await connectChild(child);
  const started = (await call(['start'], [options])) as Record<string, unknown>;
  const close = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await call(['close'], []);
    child.disconnect();
    await ended;
  };
  const constants = { ...started, close, kill: () => void child.kill('SIGKILL') };
  return remoteProxy(call, [], constants) as RemoteDiscord;
}

/** Resolves, once the child is ready, with the function that calls it. */
async function connectChild(child: ChildProcess): Promise<RemoteFunction> {
  const pending = new Map<number, (result: RemoteResult) => void>();
  let count = 0;
  const expect = (id: number) => new Promise<RemoteResult>((resolve) => pending.set(id, resolve));
  child.on('message', (message) => {
    const result = message as RemoteResult;
    pending.get(result.id)?.(result);
    pending.delete(result.id);
  });
  child.on('exit', (code) => {
    for (const [id, settle] of pending) settle({ id, error: `the fake Discord's process ended (${code})` });
    pending.clear();
  });
  const unwrap = ({ error, value }: RemoteResult) => {
    if (error !== undefined) throw new Error(error);
    return value;
  };
  unwrap(await expect(0));
  return async (path, args) => {
    count += 1;
    const result = expect(count);
    child.send({ id: count, path, args });
    return unwrap(await result);
  };
}

function remoteProxy(call: RemoteFunction, path: string[], constants: Record<string, unknown>): unknown {
  return new Proxy(() => {}, {
    get: (_, name) => {
      if (typeof name !== 'string' || name === 'then') return undefined;
      const constant = constants[name];
      const group = typeof constant === 'object' && constant !== null && Object.keys(constant).length === 0;
      return constant === undefined || group ? remoteProxy(call, [...path, name], {}) : constant;
    },
    apply: (_, __, args: unknown[]) => call(path, args),
  });
}

/** A call from the parent: the path of a function of FakeDiscord, or `start`. */
type RemoteCall = { id: number; path: string[]; args: unknown[] };

/** The result of a call; id 0 says that the child is ready. */
type RemoteResult = { id: number; value?: unknown; error?: string };

/** Copies a value without its functions, which cannot cross to another process. */
function withoutFunctions(value: unknown): unknown {
  if (typeof value === 'function') return undefined;
  if (Array.isArray(value)) return value.map(withoutFunctions);
  if (typeof value !== 'object' || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const kept = Object.entries(value).filter(([, inner]) => typeof inner !== 'function');
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutFunctions(inner)]));
}

/** Serves the parent's calls over IPC, and exits with the parent. Called by process-child.mjs. */
export function serveFakeDiscord(): void {
  let discord: FakeDiscord | undefined;
  const handleCall = async ({ path, args }: RemoteCall): Promise<unknown> => {
    if (path[0] !== 'start') return callFunction(discord, path, args);
    discord = await startFakeDiscord(args[0] as Partial<FakeDiscordOptions>);
    return withoutFunctions(discord);
  };
  process.on('message', (message) => {
    const { id } = message as RemoteCall;
    handleCall(message as RemoteCall).then(
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
  return await (target as (...values: unknown[]) => unknown)(...args);
}
