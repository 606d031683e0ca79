import { type Client, type ClientEvents, Events, type Message, Status } from 'discord.js';
import { handleInteraction } from './interactions.js';
import { catchUp } from './messages/catch-up.js';
import { editMessage, isFromDeletedChannel } from './messages/erasure.js';
import { handleMessage } from './messages/handle-message.js';
import { removeLeftGuilds } from './messages/removals.js';
import { editOf } from './shared/content.js';
import type { BotContext } from './shared/context.js';
import { isContentHidden, isHumanMessage, sessionOf } from './shared/incoming.js';

/** One event that the door listens to; `execute` translates it into a verb of the chatbot. */
type GatewayEvent<Name extends keyof ClientEvents = keyof ClientEvents> = {
  name: Name;
  execute(ctx: BotContext, ...args: ClientEvents[Name]): void | Promise<void>;
};

/** Describes an event with its arguments typed by its name. */
function defineEvent<Name extends keyof ClientEvents>(
  name: Name,
  execute: GatewayEvent<Name>['execute'],
): GatewayEvent {
  return { name, execute } as unknown as GatewayEvent;
}

/** Binds an event; this is the only catch above its handler, and it keeps the bot alive. */
export function onEvent(client: Client, ctx: BotContext, event: GatewayEvent): void {
  client.on(event.name, async (...args) => {
    try {
      await event.execute(ctx, ...args);
    } catch (error) {
      ctx.logger.error({ event: event.name, error }, 'an event was not handled');
    }
  });
}

/** An outage of a server is over; during a start, and when a connection begins anew, everything is caught up with anyway. */
const guildAvailable = defineEvent(Events.GuildAvailable, async (ctx, guild) => {
  if (!ctx.client.isReady() || guild.shard.status !== Status.Ready) return;
  ctx.gaps.begin();
  await catchUp(ctx, ({ serverId }) => serverId === guild.id);
});

/** Somebody gave a command, pressed a button or sent a form. */
const interactionCreate = defineEvent(Events.InteractionCreate, handleInteraction);

/** Somebody said something; at a start the library may tell so after a removal that came later. */
const messageCreate = defineEvent(Events.MessageCreate, async (ctx, message) => {
  if (!isFromDeletedChannel(ctx, message)) await handleMessage(ctx, message);
});

/** A message was changed; Discord also says so when a link unfolds, which is no edit. A thread's starter is kept twice. */
const messageUpdate = defineEvent(Events.MessageUpdate, async (ctx, _, changed) => {
  if (changed.partial || changed.editedTimestamp === null || !isHumanMessage(changed as Message)) return;
  if (isContentHidden(changed as Message, ctx.options.messageContent)) return;
  ctx.gaps.keepEdit(changed as Message);
  const reading = editOf(changed as Message);
  // In turn with what is said there, so that a question right after the edit is answered by it.
  await ctx.intake.run(changed.channelId, async () => {
    await editMessage(ctx, sessionOf(changed.channel), await reading);
  });
});

/** A connection began anew, and nothing that happened before it is told: what was missed has to be read. */
const shardReady = defineEvent(Events.ShardReady, async (ctx) => {
  await ctx.ready;
  await catchUp(ctx);
  await removeLeftGuilds(ctx);
});

/** Every event of the library that the door listens to. */
export const gatewayEvents: readonly GatewayEvent[] = [
  messageCreate,
  messageUpdate,
  interactionCreate,
  shardReady,
  guildAvailable,
];
