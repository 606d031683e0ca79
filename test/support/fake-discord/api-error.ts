/** A refusal of the REST API: an HTTP status and Discord's JSON error code with its standard text. */
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

/** Discord's nested description of what is wrong in a form: fields down to `_errors`. */
export type FormErrors = { [field: string]: FormErrors | FormError[] };

/** One fault of one field. */
export type FormError = { code: string; message: string };

const REFUSALS = {
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
  tooLarge: [413, 40005, 'Request entity too large'],
  nonTextForum: [400, 40058, 'Cannot send a message in a forum channel'],
  alreadyAnswered: [400, 40060, 'Interaction has already been acknowledged.'],
  missingAccess: [403, 50001, 'Missing Access'],
  notYours: [403, 50005, 'Cannot edit a message authored by another user'],
  empty: [400, 50006, 'Cannot send an empty message'],
  dmRefused: [403, 50007, 'Cannot send messages to this user'],
  nonText: [400, 50008, 'Cannot send messages in a non-text channel'],
  missingPermissions: [403, 50013, 'Missing Permissions'],
  bulkCount: [
    400,
    50016,
    'Provided too few or too many messages to delete. Must provide at least 2 and fewer than 100',
  ],
  systemMessage: [403, 50021, 'Cannot execute action on a system message'],
  wrongChannelType: [400, 50024, 'Cannot execute action on this channel type'],
  invalidToken: [401, 50027, 'Invalid Webhook Token'],
  tooOld: [400, 50034, 'You can only bulk delete messages that are under 14 days old.'],
  archived: [400, 50083, 'Thread is archived'],
  invalidJson: [400, 50109, 'The request body contains invalid JSON.'],
  replyWithoutHistory: [400, 160002, 'Cannot reply without permission to read message history'],
  threadExists: [400, 160004, 'A thread has already been created for this message'],
  threadLocked: [400, 160005, 'Thread is locked'],
} as const;

/** The name of a refusal that needs no detail. */
export type Refusal = keyof typeof REFUSALS;

/** The error of a documented refusal. */
export function refuse(refusal: Refusal): ApiError {
  const [status, code, message] = REFUSALS[refusal];
  return new ApiError(status, code, message);
}

/** 50035 with one fault at a dotted path such as `embeds.0.title`. */
export function invalidForm(path: string, code: string, message: string): ApiError {
  const errors = path
    .split('.')
    .reverse()
    .reduce<FormErrors>((inner, field) => ({ [field]: inner }), { _errors: [{ code, message }] });
  return new ApiError(400, 50035, 'Invalid Form Body', errors);
}
