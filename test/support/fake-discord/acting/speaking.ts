import type { APIEmbed, APIMessage } from 'discord.js';
import type { Ref } from '../clock.js';
import { FLAG } from '../constants.js';
import type { Core } from '../core.js';
import type { FakeChannel } from '../entities.js';
import { messageChanged, typingStarted } from '../gateway/message-events.js';
import { composeMessage, deleteMessages, editMessage, postMessage } from '../messages.js';
import { addReaction, removeReaction } from '../reactions.js';
import { messageJson } from '../render-message.js';
import { createThread } from '../threads.js';
import { composeDraft, resolveAuthor, type SayOptions, userPings } from './said.js';

/** What people do in channels. Messages given back are copies in Discord's JSON. */
export type MessageActions = {
  /** Somebody says something; who is no member of the guild joins it first. */
  say(user: Ref, channel: Ref, text: string, options?: SayOptions): APIMessage;
  /** A forum post: a thread with its first message, whose id is the thread's. */
  addForumPost(
    forum: Ref,
    user: Ref,
    post: { name: string; text: string },
  ): { thread: FakeChannel; message: APIMessage };
  edit(message: Ref, text: string): APIMessage;
  /** Discord adds a link's preview: an update that changes no text and no time of editing. */
  unfurl(message: Ref, embed?: APIEmbed): void;
  deleteMessage(message: Ref): void;
  bulkDelete(messages: readonly Ref[]): void;
  react(user: Ref, message: Ref, emoji: string): void;
  unreact(user: Ref, message: Ref, emoji: string): void;
  typing(user: Ref, channel: Ref): void;
  /** The text that mentions somebody. */
  mention(user: Ref): string;
};

/** The acts of a core's people. */
export function createMessageActions(core: Core): MessageActions {
  const { world } = core;
  const found = (ref: Ref) => {
    const place = world.findMessage(ref.id);
    if (place === undefined) throw new Error(`the fake Discord knows no message ${ref.id}`);
    return place;
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
      const { channel, message } = found(ref);
      const target = world.findMessage(message.message_reference?.message_id ?? '')?.message.author.id ?? null;
      const repliedId = message.mentions.some(({ id }) => id === target) ? target : null;
      const pings = userPings(core, channel, world.users.get(message.author.id), text, repliedId, []);
      editMessage(core, channel, message, { content: text, pings });
      return messageJson(world, message);
    },
    unfurl(ref, embed = { type: 'link', url: 'https://example.org/', title: 'Example' } as APIEmbed) {
      const { channel, message } = found(ref);
      const suppressed = ((message.flags ?? 0) & FLAG.suppressEmbeds) !== 0;
      if (!suppressed) editMessage(core, channel, message, { embeds: [...message.embeds, embed] }, true);
    },
    deleteMessage(ref) {
      deleteMessages(core, found(ref).channel, [ref.id], false);
    },
    bulkDelete(refs) {
      const [first] = refs;
      if (first !== undefined)
        deleteMessages(
          core,
          found(first).channel,
          refs.map(({ id }) => id),
          true,
        );
    },
    react(user, ref, emoji) {
      const { channel, message } = found(ref);
      addReaction(core, channel, message, world.user(user), emoji);
    },
    unreact(user, ref, emoji) {
      const { channel, message } = found(ref);
      removeReaction(core, channel, message, world.user(user), emoji);
    },
    typing: (user, channel) => typingStarted(core, world.channel(channel), world.user(user)),
    mention: ({ id }) => `<@${id}>`,
  };
}
