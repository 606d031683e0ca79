import { type ChatInputCommandInteraction, type Message, MessageFlags, PermissionFlagsBits } from 'discord.js';
import type { Clock } from '../../conversation/clock.js';
import type { StopButton } from '../answers/stop-button.js';
import {
  type AnswerTarget,
  channelTarget,
  type MessageView,
  type PostResult,
  type ReplyChannel,
  replyChannel,
  showsView,
  viewPayload,
} from '../answers/target.js';
import { allowsWriting } from '../messages/answer-limits.js';
import { DeliveryError, mayHaveArrived, withDeliveryErrors } from '../shared/delivery-error.js';
import { isSnowflake } from '../shared/format.js';
import { replyPrivately } from '../shared/respond.js';
import type { CommandCall } from './command.js';

/** How long an interaction can be answered, with a margin: Discord gives 15 minutes. In milliseconds. */
const TOKEN_MS = 14 * 60_000;

/**
 * Answers by a deferred interaction: its own question by the interaction, questions of others by replies in its channel.
 * `questionId` is the id of its own question.
 */
export function chatAnswerTarget(call: CommandCall, questionId: string): AnswerTarget {
  const { ctx, interaction, place, words } = call;
  const behind = fallbackChannelTarget(call);
  const channel = behind?.channel ?? null;
  const own = interactionChannel(interaction, ctx.clock);
  return {
    session: place.session,
    words,
    channel,
    replyChannel({ questions }) {
      const isOwn = questions.some(({ platformId }) => platformId === questionId);
      return isOwn || channel === null ? own : replyChannel(channel);
    },
    // Discord shows that a deferred interaction is at work.
    startTyping: () => () => {},
    noticeTarget(id) {
      const isOwn = id === questionId;
      if (isOwn && !isExpired(interaction, ctx.clock)) return { kind: 'interaction', interaction };
      // A notice is for one person: a command has no message to reply to, but its asker can be named.
      if (channel === null || !(isOwn || isSnowflake(id))) return { kind: 'none' };
      return { kind: 'message', channel, messageId: id, ...(isOwn && { mention: interaction.user.id }) };
    },
    refused: () => replyPrivately(interaction, words.unforeseen),
  };
}

/** The channel of an interaction as a target; null where the bot cannot see it or may not write there. */
export function fallbackChannelTarget({ ctx, interaction, place, words }: CommandCall): AnswerTarget | null {
  const { channel, appPermissions } = interaction;
  if (!channel?.isSendable()) return null;
  if (!channel.isDMBased() && !allowsWriting(appPermissions, place.thread)) return null;
  return channelTarget(ctx, { session: place.session, channel, words });
}

function isExpired(interaction: ChatInputCommandInteraction, clock: Clock): boolean {
  return clock() - interaction.createdTimestamp > TOKEN_MS;
}

/**
 * Shows a reply by a deferred interaction: the first message fills the deferral, further ones are follow-ups. Once the
 * interaction has expired, messages go into its channel where the bot may write.
 */
function interactionChannel(interaction: ChatInputCommandInteraction, clock: Clock): ReplyChannel {
  let deferred = true;
  const expired = () => isExpired(interaction, clock);
  const channel = () => {
    if (interaction.channel?.isSendable()) return interaction.channel;
    throw new DeliveryError('no-access');
  };
  const followUp = createFollowUps(interaction);
  return {
    id: interaction.id,
    post: (view, { nonce }, stop) =>
      withDeliveryErrors(async () => {
        const message = payload(view, stop);
        let posted: PostResult;
        if (expired()) posted = resultOf(await channel().send({ ...message, nonce, enforceNonce: true }), view);
        else if (deferred) posted = { id: (await interaction.editReply(message)).id, same: true };
        else posted = await followUp(view, stop);
        deferred = false;
        return posted;
      }),
    edit: (messageId, view, stop) =>
      withDeliveryErrors(async () => {
        const message = payload(view, stop);
        await (expired()
          ? channel().messages.edit(messageId, message)
          : interaction.webhook.editMessage(messageId, message));
      }),
    remove: (messageId) =>
      withDeliveryErrors(() =>
        expired() ? channel().messages.delete(messageId) : interaction.webhook.deleteMessage(messageId),
      ),
  };
}

/**
 * Sends follow-ups. They have no nonce, so one whose response was lost is looked for in the channel before it is sent again.
 * @throws {DeliveryError} `rejected` where the channel cannot be read, so that nobody knows whether it is there.
 */
function createFollowUps(
  interaction: ChatInputCommandInteraction,
): (view: MessageView, stop: StopButton) => Promise<PostResult> {
  const known = new Set<string>();
  let lostContent: string | null = null;
  const posted = (message: Message, view: MessageView): PostResult => {
    lostContent = null;
    known.add(message.id);
    return resultOf(message, view);
  };
  return async (view, stop) => {
    if (lostContent !== null) {
      const found = await findLost(interaction, lostContent, known);
      if (found !== undefined) return posted(found, view);
    }
    lostContent = view.content;
    try {
      return posted(await interaction.followUp(payload(view, stop)), view);
    } catch (error) {
      if (!mayHaveArrived(error)) lostContent = null;
      throw error;
    }
  };
}

/** Messages after the interaction among which a follow-up is looked for. */
const SEARCHED_MESSAGES = 50;
/** Without these permissions Discord shows an empty history, or none. */
const READING = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.ReadMessageHistory;

async function findLost(
  { channel, appPermissions, client, id }: ChatInputCommandInteraction,
  content: string,
  known: ReadonlySet<string>,
): Promise<Message | undefined> {
  if (!channel?.isSendable()) throw new DeliveryError('rejected');
  if (!channel.isDMBased() && !appPermissions.has(READING)) throw new DeliveryError('rejected');
  const found = await channel.messages.fetch({ after: id, limit: SEARCHED_MESSAGES, cache: false });
  const isLost = (message: Message) =>
    message.author.id === client.user.id && message.content === content && !known.has(message.id);
  return found.find(isLost);
}

function payload(view: MessageView, stop: StopButton) {
  return { ...viewPayload(view, stop), flags: MessageFlags.SuppressEmbeds } as const;
}

function resultOf(message: Message, view: MessageView): PostResult {
  return { id: message.id, same: showsView(message, view) };
}
