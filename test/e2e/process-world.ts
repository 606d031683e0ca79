import Database from 'better-sqlite3';
import type { FakeDiscordOptions } from '../support/fake-discord/index.js';
import { botEnvironment } from '../support/options.js';
import { LOGGED_IN, type Program, startProgram } from '../support/program.js';
import { openWorld, type World } from '../support/world.js';

/** A world with the built bot in a process of its own. */
export type ProcessWorld = World & {
  /** The process that runs now. @throws when none was started. */
  bot(): Program;
  /** Starts the bot and waits until it takes commands. */
  start(env?: Record<string, string>): Promise<Program>;
  /** Starts the bot without waiting for anything. */
  launch(env?: Record<string, string>): Program;
  /** Ends the process as a crash would. */
  crash(): Promise<void>;
  /** Every text that its database holds, read beside it. */
  stored(): string[];
};

/** Opens a world in which the bot was not started yet. */
export async function openProcessWorld(options: Partial<FakeDiscordOptions> = {}): Promise<ProcessWorld> {
  const world = await openWorld(options);
  const { close } = world;
  let bot: Program | null = null;
  const self: ProcessWorld = Object.assign(world, {
    bot() {
      if (bot === null) throw new Error('the bot was not started');
      return bot;
    },
    launch(env: Record<string, string> = {}) {
      bot = startProgram({ bin: 'start', folder: world.folder, env: botEnvironment(world, env) });
      return bot;
    },
    async start(env?: Record<string, string>) {
      const process = self.launch(env);
      await Promise.all([process.says(LOGGED_IN), world.discord.ready()]);
      return process;
    },
    async crash() {
      self.bot().signal('SIGKILL');
      await self.bot().ended;
    },
    stored: () => storedTexts(world.path),
    async close() {
      bot?.signal('SIGKILL');
      await bot?.ended;
      await close();
    },
  });
  return self;
}

/** Opens a world in which the bot runs. */
export async function openRunningWorld(env: Record<string, string> = {}): Promise<ProcessWorld> {
  const world = await openProcessWorld();
  await world.start(env);
  return world;
}

function storedTexts(path: string): string[] {
  const database = new Database(path, { readonly: true });
  try {
    const rows = database.prepare('select text from messages union all select text from summaries').all();
    return (rows as { text: string }[]).map(({ text }) => text);
  } finally {
    database.close();
  }
}
