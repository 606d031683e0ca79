import type { APIMessage } from 'discord.js';

/**
 * A message as an app without the message content intent sees it: no text, embeds, files, components or poll, unless
 * it is the app's own, came in a direct message, or mentions the app (a reply that notifies it does).
 */
export function withoutContent(message: APIMessage, botId: string, direct: boolean): APIMessage {
  const referenced = message.referenced_message
    ? { referenced_message: withoutContent(message.referenced_message, botId, direct) }
    : {};
  if (direct || message.author.id === botId || message.mentions.some(({ id }) => id === botId)) {
    return { ...message, ...referenced };
  }
  const { poll: _poll, ...rest } = message;
  const snapshots = message.message_snapshots?.map(({ message: { timestamp, edited_timestamp, type } }) => ({
    message: {
      timestamp,
      edited_timestamp,
      type,
      content: '',
      attachments: [],
      embeds: [],
      mentions: [],
      mention_roles: [],
    },
  }));
  return {
    ...rest,
    ...referenced,
    content: '',
    embeds: [],
    attachments: [],
    components: [],
    ...(snapshots === undefined
      ? {}
      : { message_snapshots: snapshots as NonNullable<APIMessage['message_snapshots']> }),
  };
}
