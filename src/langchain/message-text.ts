import type { BaseMessage } from '@langchain/core/messages';

const MEDIA = /^(?:input_)?(?<kind>image|audio|video|file)/u;

/** A message's text: its text blocks joined, pictures and files as a visible mark, reasoning left out. */
export function messageText({ content }: Pick<BaseMessage, 'content'>): string {
  if (typeof content === 'string') return content;
  return content.map((block) => blockText(block as { type?: unknown; text?: unknown })).join('');
}

function blockText({ type, text }: { type?: unknown; text?: unknown }): string {
  if (type === 'text') return typeof text === 'string' ? text : '';
  const kind = typeof type === 'string' ? MEDIA.exec(type)?.groups?.kind : undefined;
  return kind === undefined ? '' : `[${kind}]`;
}
