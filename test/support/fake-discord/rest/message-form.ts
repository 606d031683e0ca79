import type { APIAttachment, APIEmbed, APIMessage } from 'discord.js';
import {
  forwardedMessage,
  type MessageDraft,
  messageReference,
  type Reference,
  storeFile,
} from '../changes/messages.js';
import { COMPONENT_TYPE, MESSAGE_FLAG, MESSAGE_TYPE, REFERENCE_TYPE } from '../shared/constants.js';
import { asNumber, asObject, asObjects, asString, asStrings, type Json } from '../shared/json.js';
import type { Core } from '../state/core.js';
import { flattenComponents } from '../state/discord-objects.js';
import { type MentionRules, type Pings, pingsOf } from '../state/mentions.js';
import type { StoredMessage } from '../state/message-history.js';
import type { FakeChannel } from '../state/world.js';
import { apiError, botCan, type Call, checkLength, checkMaxCount, checkMaxLength, invalidForm } from './call.js';

/** The validated content of a message. */
type MessageForm = Pick<MessageDraft, 'embeds' | 'components' | 'attachments' | 'stickers' | 'poll'> & {
  content: string;
  flags: number;
  pings: Pings;
};

const MAX_CONTENT_LENGTH = 2000;
const SETTABLE_FLAGS =
  MESSAGE_FLAG.suppressEmbeds |
  MESSAGE_FLAG.suppressNotifications |
  MESSAGE_FLAG.componentsV2 |
  MESSAGE_FLAG.voiceMessage;

/**
 * Validates a new message. @throws {ApiError} 50006 if it is empty, 50035 beyond a limit, 40005 for too large files.
 */
export function readNewMessage(call: Call, form: Json, rules: MentionRules, channel: FakeChannel): MessageForm {
  const flags = (asNumber(form.flags) ?? 0) & (SETTABLE_FLAGS | MESSAGE_FLAG.ephemeral);
  const content = readContent(form.content, flags);
  const attachments = readUploads(call, form.attachments, channel, (flags & MESSAGE_FLAG.ephemeral) !== 0);
  const read: MessageForm = {
    content,
    flags,
    pings: readPings(content, form.allowed_mentions, rules),
    embeds: readEmbeds(form.embeds),
    components: readComponents(form.components, (flags & MESSAGE_FLAG.componentsV2) !== 0),
    attachments,
    stickers: readStickers(form.sticker_ids),
    poll: readPoll(form.poll),
  };
  checkNotEmpty(read);
  return read;
}

/**
 * Validates an edit: missing fields keep the message's value, and mentions are parsed anew. @throws {ApiError} as for a
 * new message.
 */
export function readEdit(call: Call, message: StoredMessage, rules: MentionRules, channel: FakeChannel) {
  const { form } = call;
  const flags = form.flags === undefined ? (message.flags ?? 0) : readFlags(form.flags, message.flags ?? 0);
  const content = form.content === undefined ? message.content : readContent(form.content, flags);
  const uploaded = readUploads(call, form.attachments, channel, ((message.flags ?? 0) & MESSAGE_FLAG.ephemeral) !== 0);
  const kept = keptAttachments(message.attachments, form.attachments);
  const v2 = (flags & MESSAGE_FLAG.componentsV2) !== 0;
  const read = {
    content,
    flags,
    pings: readPings(content, form.allowed_mentions, rules),
    embeds: form.embeds === undefined ? message.embeds : readEmbeds(form.embeds),
    components: form.components === undefined ? message.components : readComponents(form.components, v2),
    attachments: [...kept, ...uploaded],
    stickers: message.sticker_items,
    poll: message.poll,
  };
  checkNotEmpty(read);
  return read;
}

function readFlags(value: unknown, before: number): number {
  const wanted = (asNumber(value) ?? 0) & (MESSAGE_FLAG.suppressEmbeds | MESSAGE_FLAG.componentsV2);
  return (before & ~MESSAGE_FLAG.suppressEmbeds) | wanted;
}

function readContent(value: unknown, flags: number): string {
  const content = value === undefined || value === null ? '' : String(value);
  checkMaxLength('content', content, MAX_CONTENT_LENGTH);
  if (content !== '' && (flags & MESSAGE_FLAG.componentsV2) !== 0) {
    const code = 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2';
    throw invalidForm('content', code, 'The content field cannot be used with MessageFlags.IS_COMPONENTS_V2');
  }
  // Discord trims the content, so the stored text can differ from what was sent.
  return content.trim();
}

function checkNotEmpty({ content, embeds, components, attachments, stickers, poll }: Omit<MessageForm, 'pings'>): void {
  const parts = [embeds, components, attachments, stickers].some((list) => (list?.length ?? 0) > 0);
  if (content === '' && !parts && poll === undefined) throw apiError('emptyMessage');
}

function readPings(content: string, allowed: unknown, rules: MentionRules): Pings {
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
  return pingsOf(content, allowed, rules);
}

function readUploads(call: Call, metadataList: unknown, channel: FakeChannel, ephemeral: boolean): APIAttachment[] {
  const { core, files } = call;
  if (files.length > 10) throw invalidForm('files', 'BASE_TYPE_MAX_LENGTH', 'Must be 10 or fewer in length.');
  if (files.some(({ bytes }) => bytes.length > core.options.maxFileBytes)) throw apiError('entityTooLarge');
  return files.map((file) => {
    const metadata = asObjects(metadataList).find(({ id }) => String(id) === file.index);
    const name = asString(metadata?.filename) ?? file.name;
    const description = asString(metadata?.description);
    checkMaxLength('attachments.description', description, 1024);
    return storeFile(core, channel.id, { ...file, name, description }, ephemeral);
  });
}

function keptAttachments(before: readonly APIAttachment[], metadataList: unknown): APIAttachment[] {
  if (metadataList === undefined) return [...before];
  const ids = asObjects(metadataList).map(({ id }) => String(id));
  return before.filter(({ id }) => ids.includes(id));
}

function readStickers(ids: unknown): APIMessage['sticker_items'] {
  const items = asStrings(ids).map((id) => ({ id, name: `sticker ${id}`, format_type: 1 }));
  return items.length === 0 ? undefined : items;
}

function readPoll(value: unknown): APIMessage['poll'] {
  return value === undefined || value === null ? undefined : (asObject(value) as unknown as APIMessage['poll']);
}

const REPLYABLE_TYPES: number[] = [
  MESSAGE_TYPE.default,
  MESSAGE_TYPE.reply,
  MESSAGE_TYPE.chatInputCommand,
  MESSAGE_TYPE.contextMenuCommand,
];

/**
 * Validates `message_reference`. @throws {ApiError} 160002 without READ_MESSAGE_HISTORY, 50035 for unknown and system
 * messages.
 */
export function readReference(core: Core, channel: FakeChannel, value: unknown): Reference {
  if (value === undefined || value === null) return {};
  const { message_id: id, channel_id: sourceId, type, fail_if_not_exists: mustExist } = asObject(value);
  const isForward = asNumber(type) === REFERENCE_TYPE.forward;
  const source = core.world.channels.get(isForward && sourceId ? String(sourceId) : channel.id) ?? channel;
  if (!botCan(core, source, 'ReadMessageHistory')) throw apiError('replyWithoutHistory');
  const target = core.world.history(source.id).find(String(id));
  if (target === undefined) {
    if (mustExist === false && !isForward) return {};
    throw invalidForm('message_reference', 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message');
  }
  if (isForward) return { ...forwardedMessage(source, target), target };
  if (!REPLYABLE_TYPES.includes(target.type)) {
    const text = 'Cannot reply to a system message';
    throw invalidForm('message_reference', 'REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE', text);
  }
  return { reference: messageReference(channel, target.id, REFERENCE_TYPE.reply), target };
}

const MAX_EMBED_CHARACTERS = 6000;
/** An embed needs one of them. */
const VISIBLE_EMBED_PARTS = ['title', 'description', 'fields', 'image', 'thumbnail', 'footer', 'author'];

/** Validates embeds by the documented limits. */
function readEmbeds(value: unknown): APIEmbed[] {
  const embeds = asObjects(value);
  checkMaxCount('embeds', embeds, 10);
  const total = embeds.reduce((sum, embed, at) => sum + checkEmbed(embed, `embeds.${at}`), 0);
  if (total > MAX_EMBED_CHARACTERS)
    throw invalidForm(
      'embeds',
      'MAX_EMBED_SIZE_EXCEEDED',
      `Embed size exceeds maximum size of ${MAX_EMBED_CHARACTERS}`,
    );
  return embeds.map((embed) => ({ type: 'rich', ...embed }) as APIEmbed);
}

/** Returns the number of characters that count towards the limit of all embeds together. */
function checkEmbed(embed: Json, path: string): number {
  const fields = asObjects(embed.fields);
  const footer = asString(asObject(embed.footer).text);
  const author = asString(asObject(embed.author).name);
  if (!VISIBLE_EMBED_PARTS.some((key) => embed[key])) {
    throw invalidForm(`${path}.description`, 'BASE_TYPE_REQUIRED', 'This field is required');
  }
  checkMaxLength(`${path}.title`, embed.title, 256);
  checkMaxLength(`${path}.description`, embed.description, 4096);
  checkMaxLength(`${path}.footer.text`, footer, 2048);
  checkMaxLength(`${path}.author.name`, author, 256);
  checkMaxCount(`${path}.fields`, fields, 25);
  for (const [at, field] of fields.entries()) {
    checkLength(`${path}.fields.${at}.name`, field.name, 1, 256);
    checkLength(`${path}.fields.${at}.value`, field.value, 1, 1024);
  }
  const texts = [embed.title, embed.description, footer, author, ...fields.flatMap(({ name, value }) => [name, value])];
  return texts.reduce<number>((sum, text) => sum + (asString(text) ?? '').length, 0);
}

const LINK_BUTTON_STYLE = 5;

/** Validates components by the documented limits, which are others with IS_COMPONENTS_V2. */
function readComponents(value: unknown, v2: boolean): NonNullable<APIMessage['components']> {
  const components = asObjects(value);
  const all = flattenComponents(components);
  if (v2) checkMaxCount('components', all, 40);
  else {
    checkMaxCount('components', components, 5);
    const other = components.findIndex(({ type }) => type !== COMPONENT_TYPE.actionRow);
    if (other >= 0) throw invalidForm(`components.${other}.type`, 'BASE_TYPE_CHOICES', 'Value must be one of {1}.');
  }
  for (const component of all) checkComponent(component);
  checkCustomIds(all);
  return components as unknown as NonNullable<APIMessage['components']>;
}

function checkComponent(component: Json): void {
  const { type } = component;
  if (type === COMPONENT_TYPE.actionRow) {
    const inner = asObjects(component.components);
    if (inner.length === 0)
      throw invalidForm('components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5 in length.');
    checkMaxCount('components', inner, 5);
  }
  if (type === COMPONENT_TYPE.button) {
    checkMaxLength('components.label', component.label, 80);
    if (component.style !== LINK_BUTTON_STYLE) checkLength('components.custom_id', component.custom_id, 1, 100);
    else checkLength('components.url', component.url, 1, 512);
  }
  if (typeof type === 'number' && type >= COMPONENT_TYPE.stringSelect && type <= COMPONENT_TYPE.lastSelect) {
    checkLength('components.custom_id', component.custom_id, 1, 100);
    checkMaxLength('components.placeholder', component.placeholder, 150);
    checkMaxCount('components.options', asObjects(component.options), 25);
  }
}

function checkCustomIds(components: readonly Json[]): void {
  const ids = components.map(({ custom_id: id }) => asString(id)).filter((id) => id !== undefined);
  if (new Set(ids).size < ids.length) {
    throw invalidForm('components', 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated');
  }
}
