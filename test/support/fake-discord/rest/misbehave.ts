import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../faults.js';
import { tooManyRequests } from '../rate-limits.js';
import type { RestResponse } from './call.js';

/** The answer that a fault gives in place of the work; undefined when the work is done. */
export function faultResponse(fault: Fault): RestResponse | undefined {
  if (fault.kind === 'rate-limited') return tooManyRequests(fault.scope, fault.retryAfter);
  if (fault.kind === 'cloudflare') return cloudflareResponse(fault.retryAfter);
  if (fault.kind !== 'status') return undefined;
  const { status, body, headers } = fault;
  const answer = typeof body === 'object' && body !== null ? { json: body } : { bytes: String(body ?? '') };
  return { status, ...answer, ...(headers === undefined ? {} : { headers }) };
}

function cloudflareResponse(retryAfter: number | undefined): RestResponse {
  return {
    status: 429,
    bytes: '<!doctype html><html><head><title>Access denied | discord.com</title></head><body>error 1015</body></html>',
    headers: {
      'content-type': 'text/html; charset=UTF-8',
      ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
    },
  };
}

/** Waits as a `delay` or `hold` wants it, before or after the work. */
export async function waitForFault(
  met: { fault: Fault; released: Promise<void> },
  when: 'before' | 'after',
): Promise<void> {
  const { fault, released } = met;
  if (fault.kind === 'delay' && fault.when === when) await sleep(fault.ms, undefined, { ref: false });
  if (fault.kind === 'hold' && fault.when === when) await released;
}
