import { type ChildProcess, fork } from 'node:child_process';
import type { FakeDiscordOptions } from '../options.js';
import type { FakeDiscord } from '../start.js';
import type { RemoteResult } from './calls.js';

/**
 * The same API in another process: functions give promises, and neither predicates nor handles cross. Use patterns to
 * wait, and `interactions.*` with the id of an interaction in place of its handle.
 */
export type Remote<T> = {
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
  const child = fork(new URL('./child.mjs', import.meta.url), {
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
