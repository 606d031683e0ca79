/** The kinds of error that a reader can tell apart and act on; the platforms have a text for each. */
export type ErrorCode = ConfigErrorCode | StorageErrorCode | ModelErrorCode | SettingErrorCode;

/** The environment is wrong; nothing was started. */
type ConfigErrorCode = 'config';

/** The database cannot be opened or written. */
export type StorageErrorCode =
  | 'not-a-database'
  | 'empty-database'
  | 'read-only'
  | 'locked'
  | 'no-folder'
  | 'schema-from-future'
  | 'schema-edited'
  | 'migration-failed'
  | 'disk-full'
  | 'corrupt'
  | 'storage';

/** The model endpoint did not give an answer. */
export type ModelErrorCode =
  | 'unreachable'
  | 'timeout'
  | 'rate-limited'
  | 'quota'
  | 'bad-key'
  | 'unknown-model'
  | 'context-overflow'
  | 'filtered'
  | 'empty-answer'
  | 'cut-off'
  | 'not-an-api'
  | 'rejected'
  | 'server-error'
  | 'cancelled';

/** A command or setting was refused; the old value stands. */
type SettingErrorCode = 'bad-option' | 'unknown-command' | 'empty-question' | 'not-allowed' | 'busy' | 'budget';

/**
 * Base of all errors that a person may read: a stable `code`, the standard `cause`, and one sentence that says what to do.
 * The sentence never holds a secret or a message's text.
 */
export class KeepsakeError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** The environment or `.env` is wrong; the message lists all problems, one a line. */
export class ConfigError extends KeepsakeError {
  constructor(problems: readonly string[]) {
    super('config', problems.join('\n'));
  }
}

/** The store refused or failed; nothing was half-written. */
export class StorageError extends KeepsakeError {
  declare readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}

/** The model gave no usable answer. `limit` is the context window that the endpoint named, when it named one. */
export class ModelError extends KeepsakeError {
  declare readonly code: ModelErrorCode;
  readonly limit: number | undefined;
  /** Milliseconds after which the endpoint asked to be called again. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ModelErrorCode,
    message: string,
    options: ErrorOptions & { limit?: number | undefined; retryAfter?: number | undefined } = {},
  ) {
    super(code, message, options);
    this.limit = options.limit;
    this.retryAfter = options.retryAfter;
  }
}

/** A command was refused before it changed anything. */
export class CommandError extends KeepsakeError {
  declare readonly code: SettingErrorCode;

  constructor(code: SettingErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}

/** Refuses an option, in one sentence that names it and says what to do. */
export function badOption(sentence: string): CommandError {
  return new CommandError('bad-option', sentence);
}

/** The tokens of a day are used up; `opensAt` is when there are new ones, in milliseconds since 1970. */
export class BudgetError extends KeepsakeError {
  /** Whose budget it is: the server's, or the asker's own. */
  readonly whose: 'server' | 'person';
  readonly opensAt: number;

  constructor(whose: 'server' | 'person', opensAt: number) {
    super('budget', `The tokens of today are used up; there are new ones from ${new Date(opensAt).toISOString()} on.`);
    this.whose = whose;
    this.opensAt = opensAt;
  }
}
