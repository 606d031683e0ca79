import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { APIMessage } from 'discord.js';
import {
  type FakeChannel,
  type FakeDiscord,
  type FakeDiscordOptions,
  type FakeGuild,
  type FakeUser,
  type PermissionName,
  type SayOptions,
  startFakeDiscord,
} from './fake-discord/index.js';
import type { FakeOpenAI } from './fake-openai/index.js';
import { WAIT_MS } from './patience.js';
import { type ScriptedEndpoint, startScriptedEndpoint } from './scripted-endpoint.js';

/** A user, channel, thread, direct message or message, by its id. */
export type Ref = { id: string };

/**
 * What a bot lives in: a loopback Discord with a server, a channel and somebody in it, a loopback model, and a folder of its own.
 * The bot itself is run in this process (`in-process-world.ts`), in one of its own (`test/e2e/process-world.ts`), or reduced to
 * its slash commands (`test/discord/command-world.ts`).
 */
export type World = {
  discord: FakeDiscord;
  openai: FakeOpenAI;
  /** How the model answers, and what it was asked. */
  model: ScriptedEndpoint;
  guild: FakeGuild;
  /** The first text channel. */
  channel: FakeChannel;
  /** A member of the server. */
  ada: FakeUser;
  folder: string;
  /** The database's path. */
  path: string;
  /** Adds a text channel to the server. */
  addChannel(): FakeChannel;
  /** Adds a member to the server, with rights beside the usual ones. */
  addMember(name: string, ...permissions: PermissionName[]): FakeUser;
  /** Says something with a mention of the bot. */
  mention(user: Ref, channel: Ref, text: string, options?: SayOptions): APIMessage;
  /** Resolves with the reply to a message once it is complete. */
  answerTo(message: Ref): Promise<APIMessage>;
  /** Mentions the bot, as Ada in the first channel if nothing else is given, and waits for the complete reply. */
  ask(text: string, channel?: Ref, user?: Ref, options?: SayOptions): Promise<APIMessage>;
  close(): Promise<void>;
};

/** Opens a world without a bot. */
export async function openWorld(options: Partial<FakeDiscordOptions> = {}): Promise<World> {
  const discord = await startFakeDiscord({ heartbeatMs: 20_000, waitMs: WAIT_MS, ...options });
  const model = await startScriptedEndpoint();
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-test-'));
  const guild = discord.addGuild();
  const world: World = {
    discord,
    openai: model.openai,
    model,
    guild,
    channel: discord.addChannel(guild),
    ada: discord.addUser({ name: 'Ada' }),
    folder,
    path: join(folder, 'keepsake.db'),
    addChannel: () => discord.addChannel(guild),
    addMember(name, ...permissions) {
      const user = discord.addUser({ name });
      discord.addMember(guild, user, { permissions });
      return user;
    },
    mention: (user, channel, text, more) =>
      discord.say(user, channel, `${discord.mention(discord.botUser)} ${text}`, more),
    answerTo: (message) => discord.replyTo(message, isOver),
    ask: (text, channel = world.channel, user = world.ada, more = {}) =>
      world.answerTo(world.mention(user, channel, text, more)),
    async close() {
      await Promise.all([discord.close(), model.openai.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  discord.addMember(guild, world.ada);
  return world;
}

/** Whether an answer is over: its stop button is gone. */
export function isOver({ components }: APIMessage): boolean {
  return (components ?? []).length === 0;
}
