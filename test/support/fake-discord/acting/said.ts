import type { APIEmbed, APIMessage } from 'discord.js';
import type { Ref } from '../clock.js';
import { FLAG, REFERENCE } from '../constants.js';
import type { Core } from '../core.js';
import { type FakeChannel, type FakeUser, isThread } from '../entities.js';
import { type FileDraft, storeFile } from '../files.js';
import { memberChanged } from '../gateway/guild-events.js';
import { MESSAGE_DEFAULTS, mentionsIn, type Pings, pingsOf } from '../mentions.js';
import type { MessageDraft } from '../messages.js';
import { allows } from '../permissions.js';
import { forwardedMessage, messageReference } from '../rest/references.js';

/** Everything that can be special about what somebody says. */
export type SayOptions = {
  replyTo?: Ref;
  /** Whether a reply notifies its target; it does unless this is false. */
  pingReplied?: boolean;
  /** People mentioned beside those in the text. */
  mentions?: readonly Ref[];
  attachments?: readonly FileDraft[];
  stickers?: readonly { name: string; id?: string }[];
  embeds?: readonly APIEmbed[];
  poll?: { question: string; answers: readonly string[] };
  /** Forwards this message; the text stays in the snapshot. */
  forward?: Ref;
  flags?: number;
  type?: number;
  /** Says it as this webhook, under the user's name. */
  webhookId?: string;
  nonce?: string;
  /** When it was said, in milliseconds since 1970; its id is of that time. */
  at?: number;
  /** Puts it into the channel's history without telling the bot, as when an event gets lost. */
  unseen?: boolean;
};

/** The author of what is said: a member who may speak there, or a webhook. @throws when the user may not. */
export function resolveAuthor(
  core: Core,
  user: FakeUser,
  channel: FakeChannel,
  { webhookId, type }: SayOptions,
): FakeUser {
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
  const right = isThread(channel) ? 'SendMessagesInThreads' : 'SendMessages';
  const system = type !== undefined && type !== 0 && type !== 19;
  if (!system && !allows(core.world.permissionsIn(channel, user.id), right)) {
    throw new Error(`${user.name} may not speak in #${channel.name}`);
  }
  return user;
}

/** The message that is said. */
export function composeDraft(
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
  const shown = source === undefined ? {} : forwardedMessage(source.channel, source.message);
  return {
    author,
    content: text,
    pings: userPings(core, channel, author, text, repliedId, mentions),
    at: options.at,
    type: options.type,
    flags: flags | (source === undefined ? 0 : FLAG.hasSnapshot),
    embeds: options.embeds?.map((embed) => ({ ...embed })),
    attachments: attachments.map((file) => storeFile(core, channel.id, file)),
    stickers: stickers?.map(({ name, id }) => ({ id: id ?? core.snowflake(), name, format_type: 1 })),
    poll: poll && pollJson(core, poll),
    reference: replyTo === undefined ? shown.reference : messageReference(channel, replyTo.id, REFERENCE.reply),
    snapshots: shown.snapshots,
    nonce: options.nonce,
    webhookId: options.webhookId,
  };
}

/** Whom a user's text notifies: everybody named, and roles and @everyone as far as the user may. */
export function userPings(
  core: Core,
  channel: FakeChannel,
  author: FakeUser | undefined,
  text: string,
  repliedUserId: string | null,
  mentions: readonly Ref[],
): Pings {
  const guild = core.world.guilds.get(channel.guildId ?? '') ?? null;
  const rights = author === undefined ? 0n : core.world.permissionsIn(channel, author.id);
  const mayMentionAll = guild !== null && allows(rights, 'MentionEveryone');
  const pings = pingsOf(text, undefined, { defaults: MESSAGE_DEFAULTS, mayMentionAll, guild, repliedUserId });
  const named = [...new Set([...mentionsIn(text).users, ...mentions.map(({ id }) => id)])];
  return { ...pings, users: named };
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
