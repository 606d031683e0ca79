import type { APIAttachment, APIMessage } from 'discord.js';
import { invalidForm, refuse } from '../api-error.js';
import { FLAG } from '../constants.js';
import type { FakeChannel } from '../entities.js';
import { storeFile } from '../files.js';
import type { StoredMessage } from '../history.js';
import { asNumber, asObject, asObjects, asString, asStrings } from '../json.js';
import { type MentionRules, type Pings, pingsOf } from '../mentions.js';
import type { MessageDraft } from '../messages.js';
import type { Call } from './call.js';
import { readComponents } from './components.js';
import { readEmbeds } from './embeds.js';
import { atMost } from './limits.js';

/** The parts of a message that a form says, checked. */
export type MessageForm = Pick<MessageDraft, 'embeds' | 'components' | 'attachments' | 'stickers' | 'poll'> & {
  content: string;
  flags: number;
  pings: Pings;
};

const MAX_CONTENT_LENGTH = 2000;
const SETTABLE_FLAGS = FLAG.suppressEmbeds | FLAG.suppressNotifications | FLAG.componentsV2 | FLAG.voiceMessage;

/** Reads a new message. @throws {ApiError} 50006 when it is empty, 50035 where a limit is passed, 40005 for large files. */
export function readNewMessage(call: Call, form = call.form, speaker: MentionRules, channel: FakeChannel): MessageForm {
  const flags = (asNumber(form.flags) ?? 0) & (SETTABLE_FLAGS | FLAG.ephemeral);
  const content = readContent(form.content, flags);
  const attachments = readUploads(call, form.attachments, channel, (flags & FLAG.ephemeral) !== 0);
  const read: MessageForm = {
    content,
    flags,
    pings: readPings(content, form.allowed_mentions, speaker),
    embeds: readEmbeds(form.embeds),
    components: readComponents(form.components, (flags & FLAG.componentsV2) !== 0),
    attachments,
    stickers: readStickers(form.sticker_ids),
    poll: readPoll(form.poll),
  };
  refuseEmpty(read);
  return read;
}

/** Reads an edit of `message`: what is not given stays. Mentions are parsed by the defaults unless it says otherwise. */
export function readEdit(call: Call, message: StoredMessage, speaker: MentionRules, channel: FakeChannel) {
  const { form } = call;
  const given = form.flags === undefined ? (message.flags ?? 0) : readFlags(form.flags, message.flags ?? 0);
  const content = form.content === undefined ? message.content : readContent(form.content, given);
  const fresh = readUploads(call, form.attachments, channel, ((message.flags ?? 0) & FLAG.ephemeral) !== 0);
  const kept = keptAttachments(message.attachments, form.attachments);
  const v2 = (given & FLAG.componentsV2) !== 0;
  const read = {
    content,
    flags: given,
    pings: readPings(content, form.allowed_mentions, speaker),
    embeds: form.embeds === undefined ? message.embeds : readEmbeds(form.embeds),
    components: form.components === undefined ? message.components : readComponents(form.components, v2),
    attachments: [...kept, ...fresh],
    stickers: message.sticker_items,
    poll: message.poll,
  };
  refuseEmpty(read);
  return read;
}

function readFlags(value: unknown, before: number): number {
  const wanted = (asNumber(value) ?? 0) & (FLAG.suppressEmbeds | FLAG.componentsV2);
  return (before & ~FLAG.suppressEmbeds) | wanted;
}

function readContent(value: unknown, flags: number): string {
  const content = value === undefined || value === null ? '' : String(value);
  atMost('content', content, MAX_CONTENT_LENGTH);
  if (content !== '' && (flags & FLAG.componentsV2) !== 0) {
    const code = 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2';
    throw invalidForm('content', code, 'The content field cannot be used with MessageFlags.IS_COMPONENTS_V2');
  }
  // Discord cuts white space off both ends, so what stands in the channel can differ from what was sent.
  return content.trim();
}

function refuseEmpty({
  content,
  embeds,
  components,
  attachments,
  stickers: items,
  poll: asked,
}: Omit<MessageForm, 'pings'>): void {
  const parts = [embeds, components, attachments, items].some((list) => (list?.length ?? 0) > 0);
  if (content === '' && !parts && asked === undefined) throw refuse('empty');
}

function readPings(content: string, allowed: unknown, speaker: MentionRules): Pings {
  const form = asObject(allowed);
  const parse = asStrings(form.parse);
  for (const kind of ['users', 'roles'] as const) {
    const ids = asStrings(form[kind]);
    if (ids.length > 100)
      throw invalidForm(`allowed_mentions.${kind}`, 'BASE_TYPE_MAX_LENGTH', 'Must be 100 or fewer in length.');
    if (parse.includes(kind) && ids.length > 0) {
      const message = `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`;
      throw invalidForm('allowed_mentions', 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE', message);
    }
  }
  return pingsOf(content, allowed, speaker);
}

function readUploads(call: Call, described: unknown, channel: FakeChannel, ephemeral: boolean): APIAttachment[] {
  const { core, files } = call;
  if (files.length > 10) throw invalidForm('files', 'BASE_TYPE_MAX_LENGTH', 'Must be 10 or fewer in length.');
  if (files.some(({ bytes }) => bytes.length > core.options.maxFileBytes)) throw refuse('tooLarge');
  return files.map((file) => {
    const about = asObjects(described).find(({ id }) => String(id) === file.index);
    const name = asString(about?.filename) ?? file.name;
    const description = asString(about?.description);
    atMost('attachments.description', description, 1024);
    return storeFile(core, channel.id, { ...file, name, description }, ephemeral);
  });
}

function keptAttachments(before: readonly APIAttachment[], described: unknown): APIAttachment[] {
  if (described === undefined) return [...before];
  const ids = asObjects(described).map(({ id }) => String(id));
  return before.filter(({ id }) => ids.includes(id));
}

function readStickers(ids: unknown): APIMessage['sticker_items'] {
  const items = asStrings(ids).map((id) => ({ id, name: `sticker ${id}`, format_type: 1 }));
  return items.length === 0 ? undefined : items;
}

function readPoll(value: unknown): APIMessage['poll'] {
  return value === undefined || value === null ? undefined : (asObject(value) as unknown as APIMessage['poll']);
}
