import { type Client, type ClientEvents, Events, type Message, Status } from 'discord.js';
import { handleInteraction } from './interactions.js';
import { catchUp } from './messages/catch-up.js';
import { editStarter, isFromDeletedChannel } from './messages/erasure.js';
import { handleMessage } from './messages/handle-message.js';
import { forgetLeftGuilds } from './messages/removals.js';
import { editOf } from './shared/content.js';
import type { BotContext } from './shared/context.js';
import { isContentHidden, isHumanMessage, sessionOf } from './shared/incoming.js';

/** One event that the bot handles; `execute` translates it into a verb of the chatbot. */
type GatewayEvent<Name extends keyof ClientEvents = keyof ClientEvents> = {
  name: Name;
  execute(ctx: BotContext, ...args: ClientEvents[Name]): void | Promise<void>;
};

/** Defines an event with its arguments typed by its name. */
function defineEvent<Name extends keyof ClientEvents>(
  name: Name,
  execute: GatewayEvent<Name>['execute'],
): GatewayEvent {
  return { name, execute } as unknown as GatewayEvent;
}

/** Binds an event; the only catch above its handler. */
export function onEvent(client: Client, ctx: BotContext, event: GatewayEvent): void {
  client.on(event.name, async (...args) => {
    try {
      await event.execute(ctx, ...args);
    } catch (error) {
      ctx.logger.error({ event: event.name, error }, 'failed to handle an event');
    }
  });
}

/** An outage of a server is over; at a start and after a reconnect everything is backfilled anyway. */
const guildAvailable = defineEvent(Events.GuildAvailable, async (ctx, guild) => {
  if (!ctx.client.isReady() || guild.shard.status !== Status.Ready) return;
  ctx.backfill.connectionLost();
  await catchUp(ctx, ({ serverId }) => serverId === guild.id);
});

const interactionCreate = defineEvent(Events.InteractionCreate, handleInteraction);

/** While a connection becomes ready the library may deliver a message after the later deletion of its channel. */
const messageCreate = defineEvent(Events.MessageCreate, async (ctx, message) => {
  if (!isFromDeletedChannel(ctx, message)) await handleMessage(ctx, message);
});

/** Discord sends an update also when a link unfolds, which is no edit. A thread's starter is stored twice. */
const messageUpdate = defineEvent(Events.MessageUpdate, async (ctx, _, changed) => {
  if (changed.partial || changed.editedTimestamp === null || !isHumanMessage(changed as Message)) return;
  if (isContentHidden(changed as Message, ctx.options.messageContent)) return;
  ctx.backfill.keepEdit(changed as Message);
  const session = sessionOf(changed.channel);
  const reading = editOf(changed as Message);
  // Through the intake queue, so that a question right after the edit sees it.
  const edited = ctx.intake.run(changed.channelId, async () => ctx.chatbot.edit(session, await reading));
  await Promise.all([edited, editStarter(ctx, session, changed.id, reading)]);
});

/** A new gateway session replays nothing: what was missed is backfilled. */
const shardReady = defineEvent(Events.ShardReady, async (ctx) => {
  await ctx.ready;
  await catchUp(ctx);
  await forgetLeftGuilds(ctx);
});

/** Every event of the library that the bot handles. */
export const gatewayEvents: readonly GatewayEvent[] = [
  messageCreate,
  messageUpdate,
  interactionCreate,
  shardReady,
  guildAvailable,
];
