import type { APIMessage } from 'discord.js';
import { CALLBACK, FLAG, INTERACTION, MESSAGE } from './constants.js';
import type { Core } from './core.js';
import type { FakeChannel } from './entities.js';
import { ephemeralCreated } from './gateway/message-events.js';
import type { StoredMessage } from './history.js';
import type { InteractionRecord } from './interaction-record.js';
import {
  changeMessage,
  composeMessage,
  deleteMessages,
  editMessage,
  type MessageChange,
  type MessageDraft,
  postMessage,
} from './messages.js';
import { userJson } from './render.js';

/** Where an interaction's message is: in the channel, or with the user only. */
export type LocatedMessage = { message: StoredMessage; channel: FakeChannel; holder: InteractionRecord | null };

/** Finds a message that an interaction may touch: its own, or the one whose component was used. */
export function locateMessage(core: Core, channel: FakeChannel, messageId: string | null): LocatedMessage | undefined {
  if (messageId === null) return undefined;
  const message = core.world.history(channel.id).find(messageId);
  if (message !== undefined) return { message, channel, holder: null };
  for (const holder of core.interactions.values()) {
    const hidden = holder.ephemeralMessages.get(messageId);
    if (hidden !== undefined) return { message: hidden, channel, holder };
  }
  return undefined;
}

/** Puts an answer or follow-up where it belongs: into the channel, or before the user's eyes only. */
export function postInteractionMessage(
  core: Core,
  record: InteractionRecord,
  channel: FakeChannel,
  said: Pick<MessageDraft, 'content' | 'pings' | 'embeds' | 'components' | 'attachments' | 'poll'> & { flags: number },
  followUp: boolean,
): StoredMessage {
  const draft: MessageDraft = {
    ...said,
    author: core.world.bot,
    webhookId: core.world.applicationId,
    applicationId: core.world.applicationId,
    interaction: interactionMetadata(core, record),
    ...replyContext(core, record, channel, followUp),
  };
  if ((said.flags & FLAG.ephemeral) === 0) return postMessage(core, channel, draft);
  const message = composeMessage(core, channel, draft);
  record.ephemeralMessages.set(message.id, message);
  ephemeralCreated(core, message);
  core.journal.changed();
  return message;
}

function replyContext(
  core: Core,
  record: InteractionRecord,
  channel: FakeChannel,
  followUp: boolean,
): Partial<MessageDraft> {
  const targetId = followUp ? record.originalId : record.sourceId;
  if (targetId === null || locateMessage(core, channel, targetId) === undefined) return { type: MESSAGE.chatCommand };
  const guild = channel.guildId === null ? {} : { guild_id: channel.guildId };
  return { type: MESSAGE.reply, reference: { type: 0, channel_id: channel.id, message_id: targetId, ...guild } };
}

function interactionMetadata(core: Core, record: InteractionRecord): APIMessage['interaction_metadata'] {
  const owners = record.guildId === null ? { '1': record.userId } : { '0': record.guildId };
  return {
    id: record.id,
    type: record.type,
    user: userJson(core.world.user({ id: record.userId })),
    authorizing_integration_owners: owners,
    ...(record.type === INTERACTION.command ? { name: record.name } : {}),
  } as unknown as APIMessage['interaction_metadata'];
}

/** Changes an interaction's message; what fills a deferral is not an edit of it. */
export function editInteractionMessage(
  core: Core,
  record: InteractionRecord,
  place: LocatedMessage,
  change: MessageChange,
): void {
  const { message, channel, holder } = place;
  const fills =
    record.waiting && record.callback?.type === CALLBACK.deferredMessage && message.id === record.originalId;
  const whole = { ...change, flags: (change.flags ?? message.flags ?? 0) & ~FLAG.loading };
  if (message.id === record.originalId) {
    record.waiting = false;
    if (!fills) record.edits += 1;
  }
  if (holder === null) editMessage(core, channel, message, whole, fills);
  else changeMessage(core, message, whole, fills);
  core.journal.changed();
}

/** Deletes an interaction's message. */
export function deleteInteractionMessage(core: Core, { message, channel, holder }: LocatedMessage): void {
  if (holder === null) deleteMessages(core, channel, [message.id], false);
  else holder.ephemeralMessages.delete(message.id);
  core.journal.changed();
}
