import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { APIMessage } from 'discord.js';
import { vi } from 'vitest';
import { type BotProcess, LOGGED_IN, startBotProcess } from '../support/bot-process.js';
import {
  type FakeChannel,
  type FakeDiscord,
  type FakeGuild,
  type FakeUser,
  type FakeDiscordOptions as Options,
  type PermissionName,
  type SayOptions,
  startFakeDiscord,
} from '../support/fake-discord/index.js';
import type { FakeOpenAI } from '../support/fake-openai/index.js';
import { type ScriptedEndpoint, startScriptedEndpoint } from './scripted-endpoint.js';

// Processes start slowly on a busy machine; every wait has its own, shorter limit.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });

/** Somewhere to be: a channel, thread or direct message. */
type Ref = { id: string };

/** The built bot in its own process between a loopback Discord and a loopback model, with a server to talk in. */
export type Stage = {
  discord: FakeDiscord;
  openai: FakeOpenAI;
  model: ScriptedEndpoint;
  guild: FakeGuild;
  folder: string;
  /** The process that runs now. */
  bot(): BotProcess;
  /** Starts the bot and waits until it takes commands. */
  start(env?: Record<string, string>): Promise<BotProcess>;
  /** Starts the bot without waiting for anything. */
  launch(env?: Record<string, string>): BotProcess;
  /** Ends the process as a crash would. */
  crash(): Promise<void>;
  /** A text channel of the server. */
  room(): FakeChannel;
  /** A member of the server, with rights beside the usual ones. */
  person(name: string, ...permissions: PermissionName[]): FakeUser;
  /** Says something with a mention of the bot. */
  mention(user: Ref, channel: Ref, text: string, options?: SayOptions): APIMessage;
  /** The reply to a message once it is complete. */
  answerTo(message: Ref): Promise<APIMessage>;
  /** Mentions the bot and waits for the complete reply. */
  ask(user: Ref, channel: Ref, text: string, options?: SayOptions): Promise<APIMessage>;
  /** Every text that its database holds, read beside it. */
  stored(): string[];
  close(): Promise<void>;
};

/** Opens a stage; the bot is not started yet. */
export async function openStage(options: Partial<Options> = {}): Promise<Stage> {
  const discord = await startFakeDiscord({ waitMs: 25_000, ...options });
  const model = await startScriptedEndpoint();
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-e2e-'));
  const guild = discord.addGuild();
  let bot: BotProcess | null = null;
  const stage: Stage = {
    discord,
    openai: model.openai,
    model,
    guild,
    folder,
    bot() {
      if (bot === null) throw new Error('the bot was not started');
      return bot;
    },
    launch(env = {}) {
      bot = startBotProcess(folder, { ...environment(discord, model.openai), ...env });
      return bot;
    },
    async start(env) {
      const process = stage.launch(env);
      await Promise.all([process.said(LOGGED_IN), discord.ready()]);
      return process;
    },
    async crash() {
      stage.bot().signal('SIGKILL');
      await stage.bot().ended;
    },
    room: () => discord.addChannel(guild),
    person(name, ...permissions) {
      const user = discord.addUser({ name });
      discord.addMember(guild, user, { permissions });
      return user;
    },
    mention: (user, channel, text, more) =>
      discord.say(user, channel, `${discord.mention(discord.botUser)} ${text}`, more),
    answerTo: (message) => discord.replyTo(message, isComplete),
    ask: (user, channel, text, more) => stage.answerTo(stage.mention(user, channel, text, more)),
    stored: () => storedTexts(join(folder, 'keepsake.db')),
    async close() {
      bot?.signal('SIGKILL');
      await bot?.ended;
      await Promise.all([discord.close(), model.openai.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return stage;
}

/** Opens a stage on which the bot runs. */
export async function openRunningStage(env: Record<string, string> = {}): Promise<Stage> {
  const stage = await openStage();
  await stage.start(env);
  return stage;
}

/** Whether an answer is over: its stop button is gone. */
export function isComplete({ components }: APIMessage): boolean {
  return (components ?? []).length === 0;
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

function environment(discord: FakeDiscord, openai: FakeOpenAI): Record<string, string> {
  return {
    DISCORD_TOKEN: discord.token,
    DISCORD_API: discord.api,
    OPENAI_BASE_URL: openai.baseUrl,
    OPENAI_API_KEY: 'sk-loopback',
    OPENAI_MODEL: 'fake-model',
    CONTEXT_WINDOW: '60000',
    DATABASE_URL: 'file:./keepsake.db',
    LOG_LEVEL: 'warn',
    PROBE_LOCAL: '0',
    COOLDOWN_SECONDS: '0',
    ANSWERS_PER_SERVER: '1000',
    MAX_ANSWER_TOKENS: '10000',
  };
}
