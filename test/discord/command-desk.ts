import { type APIMessage, Events, Routes } from 'discord.js';
import { Chatbot } from '../../src/chatbot/chatbot.js';
import type { Options } from '../../src/chatbot/dependencies.js';
import { NO_METER } from '../../src/conversation/meter.js';
import type { Session } from '../../src/conversation/session.js';
import type { Store } from '../../src/conversation/store.js';
import { registerCommands } from '../../src/discord/bot.js';
import { handleInteraction } from '../../src/discord/interactions.js';
import { createClient } from '../../src/discord/shared/client.js';
import { type BotContext, type BotOptions, createBotContext } from '../../src/discord/shared/context.js';
import type { Logger } from '../../src/logger.js';
import {
  type FakeChannel,
  type FakeDiscord,
  type FakeGuild,
  type FakeUser,
  type PermissionName,
  startFakeDiscord,
} from '../support/fake-discord/index.js';
import { createModelStore } from '../support/model-store.js';
import { halvesCounter, type ScriptedModel, scriptedModel } from '../support/scripted-model.js';

/** One line of the log. */
export type Logged = { level: string; fields: Record<string, unknown>; message: string };

/** A server with a channel and people in it. */
export type Room = { guild: FakeGuild; channel: FakeChannel; session: Session };

/** Slash commands of a real client on a fake Discord, with a chatbot on a store in memory. */
export type Desk = {
  discord: FakeDiscord;
  ctx: BotContext;
  store: Store;
  model: ScriptedModel;
  logged: Logged[];
  /** What `handleInteraction` gave back, by interaction; a test that looks for throws awaits it. */
  handled: Promise<void>[];
  /** A new server with one channel. */
  room(): Room;
  /** Somebody in that server with rights beside the usual ones. */
  person(room: Room, name: string, ...permissions: PermissionName[]): FakeUser;
  /** A message of the bot with a button of any custom id, as a forger would have it. */
  plant(room: Room, customId: string): Promise<APIMessage>;
  /** Resolves when one, and when so many, questions have been stored from now on. */
  heard(count: number): { one: Promise<void>; all: Promise<void> };
  close(): Promise<void>;
};

type Given = { model?: ScriptedModel; options?: Partial<Options>; ctx?: Partial<BotOptions> };

/** The custom id of the button with a label. @throws when the message has no such button. */
export function buttonId({ content, components }: APIMessage, label: string): string {
  const rows = (components ?? []) as readonly { components?: readonly { label?: string; custom_id?: string }[] }[];
  const found = rows.flatMap((row) => row.components ?? []).find((button) => button.label === label);
  if (found?.custom_id === undefined) throw new Error(`no button ${label} under: ${content}`);
  return found.custom_id;
}

/** Opens a desk; without `messageContent` in `door` the intent is granted. */
export async function openDesk(given: Given = {}): Promise<Desk> {
  const discord = await startFakeDiscord();
  const options = { ...DOOR, ...given.ctx };
  const client = createClient({ api: discord.api, messageContent: options.messageContent });
  const logged: Logged[] = [];
  const logger = recordingLogger(logged);
  const store = createModelStore();
  const model = given.model ?? scriptedModel((_, __, n) => `answer ${n}`);
  const clock = discord.clock.now;
  const chatbot = new Chatbot({
    store,
    counter: halvesCounter,
    modelNamed: () => model,
    summaryModel: model,
    clock,
    logger,
    meter: NO_METER,
    options: { ...BOT, defaultModel: model.id, allowedModels: options.allowedModels, ...given.options },
  });
  const ctx = createBotContext(client, { chatbot, logger, clock, options });
  const handled: Promise<void>[] = [];
  client.on(Events.InteractionCreate, (interaction) => handled.push(handleInteraction(ctx, interaction)));
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(discord.token);
  await ready;
  // Nothing was missed: the server is new.
  await ctx.gaps.read(async () => undefined);
  await registerCommands(ctx);
  return {
    discord,
    ctx,
    store,
    model,
    logged,
    handled,
    ...people(discord),
    heard: (count) => hearing(chatbot, count),
    plant: ({ channel }, customId) =>
      client.rest.post(Routes.channelMessages(channel.id), {
        body: { components: [{ type: 1, components: [{ type: 2, style: 2, label: 'x', custom_id: customId }] }] },
      }) as Promise<APIMessage>,
    async close() {
      await client.destroy();
      await chatbot.close(1_000);
      await discord.close();
    },
  };
}

const DOOR: BotOptions = {
  retryMs: 30_000,
  pausesMs: [],
  messageContent: true,
  allowedModels: ['scripted', 'scripted-large'],
  editIntervalMs: 0,
  cooldownMs: 0,
  answersPerServer: 100,
  queueLimit: 100,
  crashPauseMs: 0,
  freshMs: 3_600_000,
  catchUpMs: 3_600_000,
  graceMs: 3_600_000,
};

const BOT = {
  temperature: undefined,
  maxAnswerTokens: 1_000,
  retentionDays: 30,
  summaryInstructions: null,
  foldsAtOnce: 3,
  foldRetryMs: 1_000,
  ceilings: { server: null, person: null },
  turnMs: 60_000,
  waitMs: 3_600_000,
};

function people(discord: FakeDiscord): Pick<Desk, 'room' | 'person'> {
  return {
    room() {
      const guild = discord.addGuild();
      const channel = discord.addChannel(guild);
      return { guild, channel, session: { id: `discord:${channel.id}`, parentId: null, serverId: guild.id } };
    },
    person({ guild }, name, ...permissions) {
      const user = discord.addUser({ name });
      discord.addMember(guild, user, { permissions });
      return user;
    },
  };
}

/** Watches what the chatbot hears. */
function hearing(chatbot: Chatbot, count: number): { one: Promise<void>; all: Promise<void> } {
  const hear = chatbot.receive.bind(chatbot);
  let seen = 0;
  const after = (wanted: number, resolve: () => void) => () => seen === wanted && resolve();
  const checks: (() => void)[] = [];
  const when = (wanted: number) => new Promise<void>((resolve) => checks.push(after(wanted, resolve)));
  chatbot.receive = async (...given) => {
    const heard = await hear(...given);
    seen += 1;
    for (const check of checks) check();
    return heard;
  };
  return { one: when(1), all: when(count) };
}

function recordingLogger(logged: Logged[]): Logger {
  const at = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void logged.push({ level, fields, message });
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: () => logger };
  return logger as unknown as Logger;
}
