import { CHANNEL_TYPE } from '../shared/constants.js';
import { asString, type Json } from '../shared/json.js';
import { allows, type PermissionName } from '../shared/permissions.js';
import type { Core } from '../state/core.js';
import type { JournalFile, RestEntry } from '../state/journal.js';
import { MESSAGE_DEFAULTS, type MentionRules } from '../state/mentions.js';
import type { StoredMessage } from '../state/message-history.js';
import { type FakeChannel, type FakeGuild, isThread } from '../state/world.js';

/** A request that has been parsed and routed. */
export type Call = {
  core: Core;
  /** The values of the path's parameters. */
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
  /** The body if it is an object, else an empty one. */
  form: Json;
  files: Upload[];
  entry: RestEntry;
};

/** A file of a multipart request; `index` is the n of `files[n]`. */
export type Upload = JournalFile & { index: string };

/** A response. Without `json` and `bytes` the body is empty and has no content type. */
export type RestResponse = {
  status: number;
  json?: unknown;
  bytes?: Buffer | string;
  headers?: Record<string, string>;
};

/** Processes a route's requests. @throws {ApiError} */
type Handler = (call: Call) => RestResponse;

/** An endpoint. With `withoutToken` it needs no bot token. */
export type Route = { method: string; pattern: string; handle: Handler; withoutToken?: boolean };

/** Builds a 200 with a JSON body. */
export function ok(json: unknown): RestResponse {
  return { status: 200, json };
}

/** A 204. */
export const NO_CONTENT: RestResponse = { status: 204 };

/** Returns the path's guild. @throws {ApiError} 10004 if there is none, 50001 if the bot is not in it. */
export function guildOf({ core, params }: Call): FakeGuild {
  const guild = core.world.guilds.get(params.guild ?? '');
  if (guild === undefined) throw apiError('unknownGuild');
  if (!guild.joined) throw apiError('missingAccess');
  return guild;
}

/** Returns the path's channel. @throws {ApiError} 10003 if there is none, 50001 without VIEW_CHANNEL. */
export function channelOf({ core, params }: Call): FakeChannel {
  const channel = core.world.channels.get(params.channel ?? '');
  if (channel === undefined) throw apiError('unknownChannel');
  const guild = channel.guildId === null ? undefined : core.world.guilds.get(channel.guildId);
  if (guild?.joined === false || !botCan(core, channel, 'ViewChannel')) throw apiError('missingAccess');
  return channel;
}

/** Returns the path's message. @throws {ApiError} 10008 if it is not in the channel. */
export function messageOf({ core, params }: Call, channel: FakeChannel): StoredMessage {
  const message = core.world.history(channel.id).find(params.message ?? '');
  if (message === undefined) throw apiError('unknownMessage');
  return message;
}

/** Tests that the bot has all of these permissions in the channel. */
export function botCan(core: Core, channel: FakeChannel, ...names: PermissionName[]): boolean {
  return allows(core.world.permissionsIn(channel, core.world.bot.id), ...names);
}

/** @throws {ApiError} 50013 unless the bot has all of these permissions in the channel. */
export function requirePermissions({ core }: Call, channel: FakeChannel, ...names: PermissionName[]): void {
  if (!botCan(core, channel, ...names)) throw apiError('missingPermissions');
}

/** @throws {ApiError} unless the bot can post in the channel: 40058, 50007, 50008, 50013, 160005. */
export function requirePostable(call: Call, channel: FakeChannel): void {
  const { core } = call;
  if (channel.type === CHANNEL_TYPE.forum || channel.type === CHANNEL_TYPE.media) throw apiError('forumChannel');
  if (channel.type === CHANNEL_TYPE.category) throw apiError('nonTextChannel');
  const recipient = core.world.users.get(channel.recipientId ?? '');
  if (recipient?.refusesDms) throw apiError('cannotDm');
  requirePermissions(call, channel, isThread(channel) ? 'SendMessagesInThreads' : 'SendMessages');
  if (isThread(channel) && channel.thread.locked && !botCan(core, channel, 'ManageThreads'))
    throw apiError('threadLocked');
}

/** Returns the mention rules for a message of the bot. */
export function botMentionRules(core: Core, channel: FakeChannel, repliedUserId: string | null): MentionRules {
  return {
    defaults: MESSAGE_DEFAULTS,
    mayMentionAll: botCan(core, channel, 'MentionEveryone'),
    guild: core.world.guilds.get(channel.guildId ?? '') ?? null,
    repliedUserId,
  };
}

/** An error response: HTTP status, and Discord's JSON error code with its standard text. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: number;
  readonly errors: FormErrors | undefined;

  constructor(status: number, code: number, message: string, errors?: FormErrors) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

/** Discord's nested form errors: fields down to `_errors`. */
type FormErrors = { [field: string]: FormErrors | FormError[] };

type FormError = { code: string; message: string };

const API_ERRORS = {
  notFound: [404, 0, '404: Not Found'],
  unauthorized: [401, 0, '401: Unauthorized'],
  unknownChannel: [404, 10003, 'Unknown Channel'],
  unknownGuild: [404, 10004, 'Unknown Guild'],
  unknownMember: [404, 10007, 'Unknown Member'],
  unknownMessage: [404, 10008, 'Unknown Message'],
  unknownUser: [404, 10013, 'Unknown User'],
  unknownEmoji: [400, 10014, 'Unknown Emoji'],
  unknownWebhook: [404, 10015, 'Unknown Webhook'],
  unknownInteraction: [404, 10062, 'Unknown interaction'],
  unknownCommand: [404, 10063, 'Unknown application command'],
  entityTooLarge: [413, 40005, 'Request entity too large'],
  forumChannel: [400, 40058, 'Cannot send a message in a forum channel'],
  alreadyAcknowledged: [400, 40060, 'Interaction has already been acknowledged.'],
  missingAccess: [403, 50001, 'Missing Access'],
  foreignMessage: [403, 50005, 'Cannot edit a message authored by another user'],
  emptyMessage: [400, 50006, 'Cannot send an empty message'],
  cannotDm: [403, 50007, 'Cannot send messages to this user'],
  nonTextChannel: [400, 50008, 'Cannot send messages in a non-text channel'],
  missingPermissions: [403, 50013, 'Missing Permissions'],
  bulkDeleteCount: [
    400,
    50016,
    'Provided too few or too many messages to delete. Must provide at least 2 and fewer than 100',
  ],
  systemMessage: [403, 50021, 'Cannot execute action on a system message'],
  wrongChannelType: [400, 50024, 'Cannot execute action on this channel type'],
  invalidToken: [401, 50027, 'Invalid Webhook Token'],
  bulkDeleteAge: [400, 50034, 'You can only bulk delete messages that are under 14 days old.'],
  threadArchived: [400, 50083, 'Thread is archived'],
  invalidJson: [400, 50109, 'The request body contains invalid JSON.'],
  replyWithoutHistory: [400, 160002, 'Cannot reply without permission to read message history'],
  threadExists: [400, 160004, 'A thread has already been created for this message'],
  threadLocked: [400, 160005, 'Thread is locked'],
} as const;

type ApiErrorName = keyof typeof API_ERRORS;

/** Creates a documented error. */
export function apiError(name: ApiErrorName): ApiError {
  const [status, code, message] = API_ERRORS[name];
  return new ApiError(status, code, message);
}

/** Creates a 50035 for the field at a dotted path such as `embeds.0.title`. */
export function invalidForm(path: string, code: string, message: string): ApiError {
  const errors = path
    .split('.')
    .reverse()
    .reduce<FormErrors>((inner, field) => ({ [field]: inner }), { _errors: [{ code, message }] });
  return new ApiError(400, 50035, 'Invalid Form Body', errors);
}

/** @throws {ApiError} 50035 if a text is longer than `max` UTF-16 code units. */
export function checkMaxLength(path: string, value: unknown, max: number): void {
  if ((asString(value) ?? '').length > max) {
    throw invalidForm(path, 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`);
  }
}

/** @throws {ApiError} 50035 unless there is a text of `min` to `max` UTF-16 code units. */
export function checkLength(path: string, value: unknown, min: number, max: number): void {
  const text = asString(value);
  if (text === undefined || text === '') throw invalidForm(path, 'BASE_TYPE_REQUIRED', 'This field is required');
  if (text.length < min || text.length > max) {
    throw invalidForm(path, 'BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`);
  }
}

/** @throws {ApiError} 50035 if a list has more than `max` items. */
export function checkMaxCount(path: string, list: readonly unknown[], max: number): void {
  if (list.length > max) throw invalidForm(path, 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`);
}
