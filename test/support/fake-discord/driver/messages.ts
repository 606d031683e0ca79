import type { APIEmbed, APIMessage } from 'discord.js';
import { createThread } from '../changes/channels.js';
import { memberChanged, messageChanged, typingStarted } from '../changes/events.js';
import {
  addReaction,
  composeMessage,
  deleteMessages,
  editMessage,
  type FileDraft,
  forwardedMessage,
  type MessageDraft,
  messageReference,
  postMessage,
  removeReaction,
  storeFile,
} from '../changes/messages.js';
import type { Ref } from '../shared/clock.js';
import { MESSAGE_FLAG, MESSAGE_TYPE, REFERENCE_TYPE } from '../shared/constants.js';
import { allows } from '../shared/permissions.js';
import type { Core } from '../state/core.js';
import { messageJson } from '../state/discord-objects.js';
import { MESSAGE_DEFAULTS, mentionsIn, type Pings, pingsOf } from '../state/mentions.js';
import { type FakeChannel, type FakeUser, isThread } from '../state/world.js';

/** Actions of users in channels. The returned messages are copies. */
export type MessageActions = {
  /** Posts a message. Who is no member of the guild joins it first. @throws if the user may not post there. */
  say(user: Ref, channel: Ref, text: string, options?: SayOptions): APIMessage;
  /** Creates a forum post: a thread and its first message, whose id is the thread's. */
  addForumPost(
    forum: Ref,
    user: Ref,
    post: { name: string; text: string },
  ): { thread: FakeChannel; message: APIMessage };
  edit(message: Ref, text: string): APIMessage;
  /** Adds a link preview as Discord does: MESSAGE_UPDATE without a change of content or edited timestamp. */
  unfurl(message: Ref, embed?: APIEmbed): void;
  deleteMessage(message: Ref): void;
  bulkDelete(messages: readonly Ref[]): void;
  react(user: Ref, message: Ref, emoji: string): void;
  unreact(user: Ref, message: Ref, emoji: string): void;
  typing(user: Ref, channel: Ref): void;
  /** Returns the text that mentions a user. */
  mention(user: Ref): string;
};

/** Creates the actions of users in channels. */
export function createMessageActions(core: Core): MessageActions {
  const { world } = core;
  const locate = (ref: Ref) => {
    const located = world.findMessage(ref.id);
    if (located === undefined) throw new Error(`the fake Discord knows no message ${ref.id}`);
    return located;
  };
  return {
    say(user, ref, text, options = {}) {
      const channel = world.channel(ref);
      const author = resolveAuthor(core, world.user(user), channel, options);
      const draft = composeDraft(core, channel, author, text, options);
      if (!options.unseen) return messageJson(world, postMessage(core, channel, draft));
      const message = composeMessage(core, channel, draft);
      world.history(channel.id).add(message);
      return messageJson(world, message);
    },
    addForumPost(ref, user, { name, text }) {
      const forum = world.channel(ref);
      const author = resolveAuthor(core, world.user(user), forum, {});
      const thread = createThread(core, forum, { name, owner: author });
      const message = { ...composeMessage(core, thread, composeDraft(core, thread, author, text, {})), id: thread.id };
      world.history(thread.id).add(message);
      messageChanged(core, 'CREATE', thread, message);
      return { thread, message: messageJson(world, message) };
    },
    edit(ref, text) {
      const { channel, message } = locate(ref);
      const target = world.findMessage(message.message_reference?.message_id ?? '')?.message.author.id ?? null;
      const repliedId = message.mentions.some(({ id }) => id === target) ? target : null;
      const pings = userPings(core, channel, world.users.get(message.author.id), text, repliedId, []);
      editMessage(core, channel, message, { content: text, pings });
      return messageJson(world, message);
    },
    unfurl(ref, embed = { type: 'link', url: 'https://example.org/', title: 'Example' } as APIEmbed) {
      const { channel, message } = locate(ref);
      const suppressed = ((message.flags ?? 0) & MESSAGE_FLAG.suppressEmbeds) !== 0;
      if (!suppressed) editMessage(core, channel, message, { embeds: [...message.embeds, embed] }, true);
    },
    deleteMessage(ref) {
      deleteMessages(core, locate(ref).channel, [ref.id], false);
    },
    bulkDelete(refs) {
      const [first] = refs;
      if (first !== undefined)
        deleteMessages(
          core,
          locate(first).channel,
          refs.map(({ id }) => id),
          true,
        );
    },
    react(user, ref, emoji) {
      const { channel, message } = locate(ref);
      addReaction(core, channel, message, world.user(user), emoji);
    },
    unreact(user, ref, emoji) {
      const { channel, message } = locate(ref);
      removeReaction(core, channel, message, world.user(user), emoji);
    },
    typing: (user, channel) => typingStarted(core, world.channel(channel), world.user(user)),
    mention: ({ id }) => `<@${id}>`,
  };
}

/** Optional properties of a message. */
export type SayOptions = {
  replyTo?: Ref;
  /** False for a reply without a notification. */
  pingReplied?: boolean;
  /** Users mentioned beside those in the text. */
  mentions?: readonly Ref[];
  attachments?: readonly FileDraft[];
  stickers?: readonly { name: string; id?: string }[];
  embeds?: readonly APIEmbed[];
  poll?: { question: string; answers: readonly string[] };
  /** Forwards this message: its content goes into a snapshot. */
  forward?: Ref;
  flags?: number;
  type?: number;
  /** Posts it as this webhook, under the user's name. */
  webhookId?: string;
  nonce?: string;
  /** Back-dates the message and its id, in milliseconds since 1970. */
  at?: number;
  /** Stores it without an event, as if the event had been lost. */
  unseen?: boolean;
};

/** Returns the author: the user, as a member of the guild, or the webhook. @throws if the user may not post there. */
function resolveAuthor(core: Core, user: FakeUser, channel: FakeChannel, { webhookId, type }: SayOptions): FakeUser {
  if (webhookId !== undefined) return { ...user, id: webhookId, bot: true };
  const guild = channel.guildId === null ? undefined : core.world.guild({ id: channel.guildId });
  if (guild === undefined) {
    if (channel.recipientId !== user.id) throw new Error(`${user.name} is not in that direct message`);
    return user;
  }
  if (!guild.members.has(user.id)) {
    const member = { userId: user.id, nick: null, roleIds: [], joinedAt: core.clock.now() };
    guild.members.set(user.id, member);
    memberChanged(core, 'ADD', guild, member);
  }
  const permission = isThread(channel) ? 'SendMessagesInThreads' : 'SendMessages';
  const isSystemMessage = type !== undefined && type !== MESSAGE_TYPE.default && type !== MESSAGE_TYPE.reply;
  if (!isSystemMessage && !allows(core.world.permissionsIn(channel, user.id), permission)) {
    throw new Error(`${user.name} may not speak in #${channel.name}`);
  }
  return user;
}

function composeDraft(
  core: Core,
  channel: FakeChannel,
  author: FakeUser,
  text: string,
  options: SayOptions,
): MessageDraft {
  const { replyTo, forward, flags = 0, attachments = [], stickers, poll, mentions = [] } = options;
  const target = replyTo && core.world.history(channel.id).find(replyTo.id);
  const repliedId = target !== undefined && options.pingReplied !== false ? target.author.id : null;
  const source = forward && core.world.findMessage(forward.id);
  const forwarded = source === undefined ? {} : forwardedMessage(source.channel, source.message);
  return {
    author,
    content: text,
    pings: userPings(core, channel, author, text, repliedId, mentions),
    at: options.at,
    type: options.type,
    flags: flags | (source === undefined ? 0 : MESSAGE_FLAG.hasSnapshot),
    embeds: options.embeds?.map((embed) => ({ ...embed })),
    attachments: attachments.map((file) => storeFile(core, channel.id, file)),
    stickers: stickers?.map(({ name, id }) => ({ id: id ?? core.snowflake(), name, format_type: 1 })),
    poll: poll && pollJson(core, poll),
    reference:
      replyTo === undefined ? forwarded.reference : messageReference(channel, replyTo.id, REFERENCE_TYPE.reply),
    snapshots: forwarded.snapshots,
    nonce: options.nonce,
    webhookId: options.webhookId,
  };
}

/**
 * Computes who is notified by a user's text: all mentioned users, and roles and @everyone as far as the user may
 * mention them.
 */
function userPings(
  core: Core,
  channel: FakeChannel,
  author: FakeUser | undefined,
  text: string,
  repliedUserId: string | null,
  mentions: readonly Ref[],
): Pings {
  const guild = core.world.guilds.get(channel.guildId ?? '') ?? null;
  const permissions = author === undefined ? 0n : core.world.permissionsIn(channel, author.id);
  const mayMentionAll = guild !== null && allows(permissions, 'MentionEveryone');
  const pings = pingsOf(text, undefined, { defaults: MESSAGE_DEFAULTS, mayMentionAll, guild, repliedUserId });
  const users = [...new Set([...mentionsIn(text).users, ...mentions.map(({ id }) => id)])];
  return { ...pings, users };
}

function pollJson(core: Core, { question, answers }: NonNullable<SayOptions['poll']>): APIMessage['poll'] {
  return {
    question: { text: question },
    answers: answers.map((text, at) => ({ answer_id: at + 1, poll_media: { text } })),
    expiry: new Date(core.clock.now() + 24 * 3600_000).toISOString(),
    allow_multiselect: false,
    layout_type: 1,
    results: { is_finalized: false, answer_counts: [] },
  };
}
