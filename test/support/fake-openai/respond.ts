import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { ChatRequest, Script, Step } from './wire.js';

const COMMON = { id: 'chatcmpl-fake', object: 'chat.completion.chunk', created: 1_700_000_000 };

function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function chunk(model: string, delta: Record<string, unknown>, finish: string | null): string {
  return event({ ...COMMON, model, choices: [{ index: 0, delta, finish_reason: finish }] });
}

function bytesOf(step: Exclude<Step, { wait: unknown } | { end: true } | { reset: true }>, model: string): string {
  if (typeof step === 'string') return chunk(model, { content: step }, null);
  if ('raw' in step) return step.raw;
  if ('error' in step) return event({ error: step.error });
  if ('usage' in step) return event({ ...COMMON, model, choices: [], usage: step.usage });
  if ('delta' in step) return chunk(model, step.delta, step.finish ?? null);
  return chunk(model, {}, step.finish);
}

async function sendSteps(response: ServerResponse, steps: readonly Step[], model: string): Promise<void> {
  response.flushHeaders();
  for (const step of steps) {
    if (typeof step === 'object' && 'wait' in step) await step.wait;
    else if (typeof step === 'object' && 'end' in step) return void response.end();
    else if (typeof step === 'object' && 'reset' in step) return void response.socket?.resetAndDestroy();
    else response.write(bytesOf(step, model));
    await setImmediate();
  }
  response.end('data: [DONE]\n\n');
}

/** The same steps as one completion, for a request that does not stream. */
function completion(steps: readonly Step[], model: string): unknown {
  const content = steps.filter((step) => typeof step === 'string').join('');
  let finish: string | null = null;
  let usage: unknown;
  for (const step of steps) {
    if (typeof step === 'string') continue;
    if ('finish' in step) finish = step.finish ?? null;
    if ('usage' in step) usage = step.usage;
  }
  return {
    ...COMMON,
    object: 'chat.completion',
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finish }],
    ...(usage === undefined ? {} : { usage }),
  };
}

/** Responds to a request as a script says. */
export async function perform(script: Script, request: ChatRequest | null, response: ServerResponse): Promise<void> {
  await script.before;
  const status = script.status ?? 200;
  const model = request?.model ?? 'unknown';
  if (script.steps !== undefined && request?.stream === true) {
    response.writeHead(status, { 'content-type': 'text/event-stream', ...script.headers });
    return await sendSteps(response, script.steps, model);
  }
  const json = script.steps === undefined ? script.json : completion(script.steps, model);
  response.writeHead(status, { 'content-type': 'application/json', ...script.headers });
  response.end(script.body ?? JSON.stringify(json));
}
