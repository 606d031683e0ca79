import type { ChatRequest } from './wire.js';

/** The error of a server with a strict chat template, or null when it accepts the request. */
export function strictFault(request: ChatRequest): string | null {
  if (request.stream_options !== undefined) return 'Extra inputs are not permitted: stream_options';
  if (request.max_completion_tokens !== undefined) return 'Extra inputs are not permitted: max_completion_tokens';
  const [first, ...rest] = request.messages;
  if (first?.role !== 'system') return 'System message must be at the beginning.';
  if (request.messages.some((message) => message.name !== undefined)) return 'Extra inputs are not permitted: name';
  const known = rest.every((message) => message.role === 'user' || message.role === 'assistant');
  if (!known) return 'Unexpected message role.';
  const alternate = rest.every((message, at) => message.role === (at % 2 === 0 ? 'user' : 'assistant'));
  if (!alternate) return 'Conversation roles must alternate user/assistant/user/assistant/...';
  return rest.at(-1)?.role === 'user' ? null : 'The last message must be from the user.';
}
