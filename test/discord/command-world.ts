import { type APIMessage, Events, Routes } from 'discord.js';
import type { Chatbot } from '../../src/chatbot/chatbot.js';
import type { Options } from '../../src/chatbot/dependencies.js';
import type { Session } from '../../src/conversation/session.js';
import type { Store } from '../../src/conversation/store.js';
import { registerCommands } from '../../src/discord/bot.js';
import { handleInteraction } from '../../src/discord/interactions.js';
import { createClient } from '../../src/discord/shared/client.js';
import { type BotContext, type BotOptions, createBotContext } from '../../src/discord/shared/context.js';
import { openChatbot } from '../support/chatbot.js';
import type { FakeChannel, FakeGuild, FakeUser, PermissionName } from '../support/fake-discord/index.js';
import { createModelStore } from '../support/model-store.js';
import { botOptions } from '../support/options.js';
import { type LogLine, recordingLogger } from '../support/recording-logger.js';
import { type ScriptedModel, scriptedModel } from '../support/scripted-model.js';
import { openWorld, type World } from '../support/world.js';

/** A server of its own with a channel. */
export type Room = { guild: FakeGuild; channel: FakeChannel; session: Session };

/** A world with the slash commands alone: a real client, and a chatbot on a store in memory with a scripted model. */
export type CommandWorld = Pick<World, 'discord' | 'close'> & {
  ctx: BotContext;
  store: Store;
  model: ScriptedModel;
  log: LogLine[];
  /** What `handleInteraction` gave back, by interaction; a test that looks for throws awaits it. */
  handled: Promise<void>[];
  /** Adds a server with one channel. */
  addRoom(): Room;
  /** Adds a member to that server, with rights beside the usual ones. */
  addPerson(room: Room, name: string, ...permissions: PermissionName[]): FakeUser;
  /** A message of the bot with a button of any custom id, as a forger would have it. */
  plant(room: Room, customId: string): Promise<APIMessage>;
  /** Resolves when one, and when so many, questions have been stored from now on. */
  heard(count: number): { one: Promise<void>; all: Promise<void> };
};

/** Longer than an interaction can be answered: tests let those 15 minutes go by. */
const HOUR_MS = 3_600_000;

type Given = { model?: ScriptedModel; options?: Partial<Options>; ctx?: Partial<BotOptions> };

/** The custom id of the button with a label. @throws when the message has no such button. */
export function buttonId({ content, components }: APIMessage, label: string): string {
  const rows = (components ?? []) as readonly { components?: readonly { label?: string; custom_id?: string }[] }[];
  const found = rows.flatMap((row) => row.components ?? []).find((button) => button.label === label);
  if (found?.custom_id === undefined) throw new Error(`no button ${label} under: ${content}`);
  return found.custom_id;
}

/** Opens a world whose commands are registered; without `messageContent` in `ctx` the intent is granted. */
export async function openCommandWorld(given: Given = {}): Promise<CommandWorld> {
  const { discord, close } = await openWorld();
  const model = given.model ?? scriptedModel((_, __, n) => `answer ${n}`);
  const log: LogLine[] = [];
  const deps = { store: createModelStore(), clock: discord.clock.now, logger: recordingLogger(log) };
  const allowedModels = ['scripted', 'scripted-large'];
  const { chatbot } = await openChatbot({ model, options: { allowedModels, waitMs: HOUR_MS, ...given.options }, deps });
  const options = botOptions({ allowedModels, editIntervalMs: 0, pausesMs: [], freshMs: HOUR_MS, ...given.ctx });
  const client = createClient({ api: discord.api, messageContent: options.messageContent });
  const ctx = createBotContext(client, { ...deps, chatbot, options });
  const handled: Promise<void>[] = [];
  client.on(Events.InteractionCreate, (interaction) => handled.push(handleInteraction(ctx, interaction)));
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(discord.token);
  await ready;
  // Nothing was missed: the server is new.
  await ctx.backfill.run(async () => undefined);
  await registerCommands(ctx);
  return {
    discord,
    ctx,
    store: deps.store,
    model,
    log,
    handled,
    addRoom() {
      const guild = discord.addGuild();
      const channel = discord.addChannel(guild);
      return { guild, channel, session: { id: `discord:${channel.id}`, parentId: null, serverId: guild.id } };
    },
    addPerson({ guild }, name, ...permissions) {
      const user = discord.addUser({ name });
      discord.addMember(guild, user, { permissions });
      return user;
    },
    heard: (count) => hearing(chatbot, count),
    plant: ({ channel }, customId) =>
      client.rest.post(Routes.channelMessages(channel.id), {
        body: { components: [{ type: 1, components: [{ type: 2, style: 2, label: 'x', custom_id: customId }] }] },
      }) as Promise<APIMessage>,
    async close() {
      await client.destroy();
      await chatbot.close(1_000);
      await close();
    },
  };
}

/** Watches what the chatbot receives. */
function hearing(chatbot: Chatbot, count: number): { one: Promise<void>; all: Promise<void> } {
  const receive = chatbot.receive.bind(chatbot);
  let seen = 0;
  const after = (wanted: number, resolve: () => void) => () => seen === wanted && resolve();
  const checks: (() => void)[] = [];
  const when = (wanted: number) => new Promise<void>((resolve) => checks.push(after(wanted, resolve)));
  chatbot.receive = async (...message) => {
    const received = await receive(...message);
    seen += 1;
    for (const check of checks) check();
    return received;
  };
  return { one: when(1), all: when(count) };
}
