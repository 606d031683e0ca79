import { type APIMessage, ComponentType } from 'discord.js';
import { drawEmbed } from './embed.js';
import { measure } from './letters.js';
import { type Drawn, drawParagraph } from './paragraph.js';
import { COLOURS, drawBox, drawText } from './svg.js';

/** What a drawn message needs to know beside itself. */
export type Setting = {
  width: number;
  names: ReadonlyMap<string, string>;
  /** The attached pictures' bytes by file name. */
  files: ReadonlyMap<string, Uint8Array>;
  /** The minute of the day that the first message shows, and when it was sent, in milliseconds since 1970. */
  clock: { minute: number; at: number };
};

/** The line above a message: the command that it answers. */
export type Above = { who: string; did: string };

const LEFT = 76;
const RIGHT = 24;
const SIZE = 16;
const AVATARS: Record<string, string> = { Ada: '#c2556e', Ben: '#2f8f83', Keepsake: COLOURS.blurple };

/** Draws a message as Discord shows it: what it replies to, who wrote it and when, its text, embeds and buttons. */
export function drawMessage(message: APIMessage, y: number, setting: Setting, above: Above | null = null): Drawn {
  const { names } = setting;
  const width = setting.width - LEFT - RIGHT;
  const parts: string[] = [];
  let at = y;
  const put = ({ svg, height }: Drawn, gap = 0) => {
    parts.push(svg);
    at += height + gap;
  };
  const top = drawAbove(message, at, setting, above);
  if (top !== null) put(top);
  put(drawHeader(message, at, setting));
  if (message.content !== '') put(drawParagraph({ x: LEFT, y: at, width }, message.content, SIZE, names), 2);
  for (const embed of message.embeds)
    put(drawEmbed(embed, { x: LEFT, y: at + 4, width: Math.min(width, 520) }, setting), 8);
  put(drawButtons(message, at));
  if (((message.flags ?? 0) & 64) !== 0) put(drawPrivate(at));
  return { svg: `<g>\n${parts.filter((part) => part !== '').join('\n')}\n</g>`, height: at - y };
}

function drawAvatar(name: string, x: number, y: number, radius: number): string {
  const size = radius * 0.95;
  const letter = name.slice(0, 1);
  const text = drawText(
    x - measure(letter, { size, bold: true }) / 2,
    y + size * 0.36,
    letter,
    { size, bold: true },
    '#fff',
  );
  return `<circle cx="${x}" cy="${y}" r="${radius}" fill="${AVATARS[name] ?? COLOURS.button}"/>${text}`;
}

function drawAbove(message: APIMessage, y: number, { width, names }: Setting, above: Above | null): Drawn | null {
  const target = message.referenced_message ?? null;
  if (above === null && target === null) return null;
  const who = above?.who ?? target?.author.username ?? '';
  const said = target?.content.split('\n')[0]?.replace(/<@(\d+)>/gu, (_, id) => `@${names.get(id)}`) ?? '';
  const hook = `<path d="M40 ${y + 20}v-5a6 6 0 0 1 6-6h24" fill="none" stroke="${COLOURS.button}" stroke-width="2"/>`;
  const nameAt = LEFT + 22;
  const style = { size: 14, bold: true };
  const textAt = nameAt + measure(who, style) + 6;
  const parts = [hook, drawAvatar(who, LEFT + 9, y + 9, 8), drawText(nameAt, y + 14, who, style, COLOURS.text)];
  if (above === null)
    parts.push(drawText(textAt, y + 14, cutToWidth(said, width - textAt - RIGHT), { size: 14 }, COLOURS.faint));
  else parts.push(drawParagraph({ x: textAt, y, width: 600 }, above.did, 14, names, COLOURS.faint).svg);
  return { svg: parts.join('\n'), height: 26 };
}

function cutToWidth(text: string, width: number): string {
  let cut = text;
  while (measure(`${cut}…`, { size: 14 }) > width) cut = cut.slice(0, cut.lastIndexOf(' '));
  return cut === text ? text : `${cut}…`;
}

function drawHeader(message: APIMessage, y: number, { clock }: Setting): Drawn {
  const { username: name, bot } = message.author;
  const minute = clock.minute + Math.floor((Date.parse(message.timestamp) - clock.at) / 60_000);
  const time = `Today at ${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}`;
  const style = { size: SIZE, bold: true };
  let x = LEFT + measure(name, style) + 6;
  const parts = [drawAvatar(name, 40, y + 20, 20), drawText(LEFT, y + 15, name, style, COLOURS.bright)];
  if (bot) {
    parts.push(
      drawBox(x, y + 2, 34, 16, COLOURS.blurple),
      drawText(x + 5, y + 14, 'APP', { size: 11, bold: true }, '#fff'),
    );
    x += 40;
  }
  parts.push(drawText(x + 2, y + 15, time, { size: 12 }, COLOURS.faint));
  return { svg: parts.join('\n'), height: 23 };
}

function drawButtons({ components }: APIMessage, y: number): Drawn {
  const row = (components ?? []).find(({ type }) => type === ComponentType.ActionRow);
  const buttons = row !== undefined && 'components' in row ? row.components : [];
  let x = LEFT;
  const drawn = buttons.map((button) => {
    const label = 'label' in button ? (button.label ?? '') : '';
    const width = measure(label, { size: 14, bold: true }) + 32;
    const box = drawBox(x, y + 4, width, 32, COLOURS.button, 8);
    const svg = box + drawText(x + 16, y + 25, label, { size: 14, bold: true }, '#fff');
    x += width + 8;
    return svg;
  });
  return { svg: drawn.join('\n'), height: drawn.length === 0 ? 0 : 42 };
}

function drawPrivate(y: number): Drawn {
  return { svg: drawText(LEFT, y + 13, 'Only you can see this', { size: 12 }, COLOURS.faint), height: 20 };
}
