import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';

/**
 * Why a message could not be shown: the answer's message was deleted (`gone`), the channel was (`no-channel`), the bot
 * may not see it (`no-access`), write there (`no-permission`) or reply there (`no-history`), the thread is locked or
 * archived, the person takes no direct messages (`dm-closed`), a server's filter refused it (`blocked`), Discord did
 * not answer (`unreachable`), or it found the request wrong (`rejected`).
 */
export type DeliveryErrorCode =
  | 'gone'
  | 'no-channel'
  | 'no-access'
  | 'no-permission'
  | 'no-history'
  | 'locked'
  | 'archived'
  | 'dm-closed'
  | 'blocked'
  | 'unreachable'
  | 'rejected';

const CODES: Readonly<Record<string, DeliveryErrorCode>> = {
  10003: 'no-channel',
  10004: 'no-channel',
  10008: 'gone',
  50001: 'no-access',
  50007: 'dm-closed',
  50013: 'no-permission',
  50083: 'archived',
  160002: 'no-history',
  160005: 'locked',
  200000: 'blocked',
};

/** Discord did not show a message; the answer is stored or lost regardless. `cause` is the library's error, if any. */
export class DeliveryError extends Error {
  readonly code: DeliveryErrorCode;

  constructor(code: DeliveryErrorCode, options?: ErrorOptions) {
    super(`The answer could not be shown (${code}).`, options);
    this.name = 'DeliveryError';
    this.code = code;
  }
}

/** Converts the error of a request to Discord into a `DeliveryError`; returns any other error as it is. */
export function asDeliveryError(error: unknown): unknown {
  if (error instanceof DiscordAPIError) {
    return new DeliveryError(CODES[String(error.code)] ?? 'rejected', { cause: error });
  }
  return isOutage(error) ? new DeliveryError('unreachable', { cause: error }) : error;
}

/** Makes a request to Discord. @throws {DeliveryError} when Discord refuses it or does not answer. */
export async function withDeliveryErrors<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw asDeliveryError(error);
  }
}

/** Whether an error says that what was to be deleted is not there. */
export function isGone(error: unknown): boolean {
  return error instanceof DeliveryError && (error.code === 'gone' || error.code === 'no-channel');
}

/** Whether an error means that Discord did not answer, so that the same may succeed later. */
export function isUnreachable(error: unknown): boolean {
  const failure = asDeliveryError(error);
  return failure instanceof DeliveryError && failure.code === 'unreachable';
}

/** Whether Discord has refused, and would refuse the same at another time. */
export function isRefusal(error: unknown): boolean {
  const failure = asDeliveryError(error);
  return failure instanceof DeliveryError && failure.code !== 'unreachable';
}

/** Codes that concern one message or moment, and say nothing of the channel. */
const NOT_OF_CHANNEL: readonly DeliveryErrorCode[] = ['gone', 'unreachable', 'no-history', 'rejected', 'blocked'];

/** Whether the channel would refuse any other message too. */
export function isChannelRefusal({ code }: DeliveryError): boolean {
  return !NOT_OF_CHANNEL.includes(code);
}

/** What the network reports before a request has gone out. */
const UNSENT = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/u;

/** Whether Discord may have carried out a request although it failed: it was sent, and no response came. */
export function mayHaveArrived(error: unknown): boolean {
  if (error instanceof HTTPError || error instanceof RateLimitError || error instanceof DiscordAPIError) return false;
  if (!(error instanceof Error)) return false;
  return error.name === 'AbortError' || ('code' in error && !UNSENT.test(String(error.code)));
}

const NETWORK_ERRORS = /^(?:UND_ERR_|EAI_|E[A-Z]{4,}$|ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** 5xx, rate limits that the client was told not to wait for, aborted requests, and errors of connection, DNS or TLS. */
function isOutage(error: unknown): boolean {
  if (error instanceof HTTPError || error instanceof RateLimitError) return true;
  if (!(error instanceof Error)) return false;
  return error.name === 'AbortError' || ('code' in error && NETWORK_ERRORS.test(String(error.code)));
}
