import {
  type ChatInputCommandInteraction,
  DiscordAPIError,
  HTTPError,
  type Message,
  MessageFlags,
  PermissionFlagsBits,
  RateLimitError,
} from 'discord.js';
import type { Clock } from '../../conversation/clock.js';
import type { StopButton } from '../answers/stop-button.js';
import {
  type AnswerTarget,
  channelTarget,
  isSnowflake,
  type MessageView,
  type PostResult,
  type ReplyChannel,
  replyChannel,
  showsView,
  viewPayload,
  withDeliveryErrors,
} from '../answers/target.js';
import { allowsWriting } from '../messages/admission.js';
import { DeliveryError } from '../shared/delivery-error.js';
import { type NoticeResult, tryRequest } from '../shared/notices.js';
import { answer, tellPrivately } from '../shared/respond.js';
import type { CommandCall } from './command.js';

/** For how long an interaction can be answered, with a margin: Discord gives 15 minutes. In milliseconds. */
const TOKEN_MS = 14 * 60_000;
/** Messages after the first among which a follow-up is looked for. */
const LOOK_UP = 50;
/** Without these rights Discord shows an empty history, or none. */
const READING = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.ReadMessageHistory;
/** What the network says before a request has gone out. */
const UNSENT = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/u;

/** Whether an interaction is too old to be answered as such. */
function isLate(interaction: ChatInputCommandInteraction, clock: Clock): boolean {
  return clock() - interaction.createdTimestamp > TOKEN_MS;
}

/**
 * An interaction that was deferred, as a reply's channel: the first message fills the deferral, further ones follow it.
 * Once the interaction is too old for that, messages go into its channel where the bot may write.
 */
function interactionChannel(interaction: ChatInputCommandInteraction, clock: Clock): ReplyChannel {
  let waits = true;
  const late = () => isLate(interaction, clock);
  const channel = () => {
    if (interaction.channel?.isSendable()) return interaction.channel;
    throw new DeliveryError('no-access');
  };
  const follow = createFollowUps(interaction);
  return {
    id: interaction.id,
    post: (view, { nonce }, stop) =>
      withDeliveryErrors(async () => {
        const message = payload(view, stop);
        let posted: PostResult;
        if (late()) posted = shown(await channel().send({ ...message, nonce, enforceNonce: true }), view);
        else if (waits) posted = { id: (await interaction.editReply(message)).id, same: true };
        else posted = await follow(view, stop);
        waits = false;
        return posted;
      }),
    edit: (messageId, view, stop) =>
      withDeliveryErrors(async () => {
        const message = payload(view, stop);
        await (late()
          ? channel().messages.edit(messageId, message)
          : interaction.webhook.editMessage(messageId, message));
      }),
    remove: (messageId) =>
      withDeliveryErrors(() =>
        late() ? channel().messages.delete(messageId) : interaction.webhook.deleteMessage(messageId),
      ),
  };
}

/**
 * Sends follow-ups. They have no nonce, so one whose answer was lost is looked for in the channel before it is sent again.
 * @throws {DeliveryError} `rejected` where nobody can say whether it is there.
 */
function createFollowUps(
  interaction: ChatInputCommandInteraction,
): (view: MessageView, stop: StopButton) => Promise<PostResult> {
  const known = new Set<string>();
  let lost: string | null = null;
  return async (view, stop) => {
    if (lost !== null) {
      const found = await findLost(interaction, lost, known);
      if (found !== undefined) return took(found);
    }
    lost = view.content;
    try {
      return took(await interaction.followUp(payload(view, stop)));
    } catch (error) {
      if (!mayHaveArrived(error)) lost = null;
      throw error;
    }
    function took(message: Message): PostResult {
      lost = null;
      known.add(message.id);
      return shown(message, view);
    }
  };
}

async function findLost(
  { channel, appPermissions, client, id }: ChatInputCommandInteraction,
  content: string,
  known: ReadonlySet<string>,
): Promise<Message | undefined> {
  if (!channel?.isSendable()) throw new DeliveryError('rejected');
  if (!channel.isDMBased() && !appPermissions.has(READING)) throw new DeliveryError('rejected');
  const found = await channel.messages.fetch({ after: id, limit: LOOK_UP, cache: false });
  const isIt = (message: Message) =>
    message.author.id === client.user.id && message.content === content && !known.has(message.id);
  return found.find(isIt);
}

/** A refusal and an error of the server are answers; what broke before it was sent has not arrived. */
function mayHaveArrived(error: unknown): boolean {
  if (error instanceof HTTPError || error instanceof RateLimitError || error instanceof DiscordAPIError) return false;
  if (!(error instanceof Error)) return false;
  return error.name === 'AbortError' || ('code' in error && !UNSENT.test(String(error.code)));
}

function payload(view: MessageView, stop: StopButton) {
  return { ...viewPayload(view, stop), flags: MessageFlags.SuppressEmbeds } as const;
}

function shown(message: Message, view: MessageView): PostResult {
  return { id: message.id, same: showsView(message, view) };
}

/** The channel in which an interaction was made, as a room; null where the bot cannot see it or may not write there. */
export function channelBehind({ ctx, interaction, place, words }: CommandCall): AnswerTarget | null {
  const { channel, appPermissions } = interaction;
  if (!channel?.isSendable()) return null;
  if (!channel.isDMBased() && !allowsWriting(appPermissions, place.thread)) return null;
  return channelTarget(ctx, { session: place.session, channel, words });
}

/** A deferred interaction as a room for its own question: what is said to others is said in its channel. */
export function interactionTarget(call: CommandCall, questionId: string): AnswerTarget {
  const { ctx, interaction, place, words } = call;
  const behind = channelBehind(call);
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
    async say(sentence, id, manner): Promise<NoticeResult> {
      const own = id === questionId;
      if (own && !isLate(interaction, ctx.clock)) return tryRequest(() => sayTo(interaction, sentence));
      // What is for one person is said to nobody else: a command has no message to reply to, but its asker can be named.
      if (behind === null || !(own || isSnowflake(id))) return 'refused';
      return behind.say(own ? `<@${interaction.user.id}> ${sentence}` : sentence, id, manner);
    },
    refused: () => tellPrivately(interaction, words.unforeseen),
  };
}

/** Fills the deferral, or tells the asker alone when an answer has done so. */
export function sayTo(interaction: ChatInputCommandInteraction, sentence: string): Promise<void> {
  return interaction.replied ? tellPrivately(interaction, sentence) : answer(interaction, sentence);
}
