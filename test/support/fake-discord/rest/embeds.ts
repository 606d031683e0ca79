import type { APIEmbed } from 'discord.js';
import { invalidForm } from '../api-error.js';
import { asObject, asObjects, asString, type Json } from '../json.js';
import { atMost, between, noMoreThan } from './limits.js';

const MAX_EMBED_CHARACTERS = 6000;
const VISIBLE_EMBED_PARTS = ['title', 'description', 'fields', 'image', 'thumbnail', 'footer', 'author'];

/** The embeds of a message, checked against the documented limits. */
export function readEmbeds(value: unknown): APIEmbed[] {
  const embeds = asObjects(value);
  noMoreThan('embeds', embeds, 10);
  const total = embeds.reduce((sum, embed, at) => sum + checkEmbed(embed, `embeds.${at}`), 0);
  if (total > MAX_EMBED_CHARACTERS)
    throw invalidForm(
      'embeds',
      'MAX_EMBED_SIZE_EXCEEDED',
      `Embed size exceeds maximum size of ${MAX_EMBED_CHARACTERS}`,
    );
  return embeds.map((embed) => ({ type: 'rich', ...embed }) as APIEmbed);
}

function checkEmbed(embed: Json, path: string): number {
  const fields = asObjects(embed.fields);
  const footer = asString(asObject(embed.footer).text);
  const author = asString(asObject(embed.author).name);
  if (!VISIBLE_EMBED_PARTS.some((key) => embed[key])) {
    throw invalidForm(`${path}.description`, 'BASE_TYPE_REQUIRED', 'This field is required');
  }
  atMost(`${path}.title`, embed.title, 256);
  atMost(`${path}.description`, embed.description, 4096);
  atMost(`${path}.footer.text`, footer, 2048);
  atMost(`${path}.author.name`, author, 256);
  noMoreThan(`${path}.fields`, fields, 25);
  for (const [at, field] of fields.entries()) {
    between(`${path}.fields.${at}.name`, field.name, 1, 256);
    between(`${path}.fields.${at}.value`, field.value, 1, 1024);
  }
  const texts = [embed.title, embed.description, footer, author, ...fields.flatMap(({ name, value }) => [name, value])];
  return texts.reduce<number>((sum, text) => sum + (asString(text) ?? '').length, 0);
}
