import type { APIEmbed } from 'discord.js';
import { type Drawn, drawParagraph, type Frame } from './paragraph.js';
import { COLOURS, drawBox } from './svg.js';

/** What an embed's texts and picture refer to. */
export type EmbedSetting = { names: ReadonlyMap<string, string>; files: ReadonlyMap<string, Uint8Array> };

const PADDING = 16;

/** Draws an embed: the bar in its colour, its title, text and fields, and its picture. */
export function drawEmbed(embed: APIEmbed, { x, y, width }: Frame, setting: EmbedSetting): Drawn {
  const inner = { x: x + PADDING + 4, width: width - 2 * PADDING - 4 };
  const parts: string[] = [];
  let at = y + PADDING - 4;
  const say = (text: string | undefined, size: number, gap: number, colour?: string) => {
    if (text === undefined || text === '') return;
    const { svg, height } = drawParagraph({ ...inner, y: at }, text, size, setting.names, colour);
    parts.push(svg);
    at += height + gap;
  };
  say(embed.title === undefined ? undefined : `**${embed.title}**`, 16, 6, COLOURS.bright);
  say(embed.description, 14, 6);
  for (const { name, value } of embed.fields ?? []) {
    say(`**${name}**`, 14, 0, COLOURS.bright);
    say(value, 14, 7);
  }
  const picture = drawPicture(embed, { ...inner, y: at + 2 }, setting);
  parts.push(picture.svg);
  const height = at + picture.height + PADDING - 4 - y;
  const bar = `#${(embed.color ?? 0).toString(16).padStart(6, '0')}`;
  const frame =
    drawBox(x, y, 12, height, bar) +
    `<path d="M${x + 4} ${y}h${width - 8}a4 4 0 0 1 4 4v${height - 8}a4 4 0 0 1-4 4H${x + 4}z" fill="${COLOURS.bar}"/>`;
  return { svg: [frame, ...parts].join('\n'), height };
}

function drawPicture({ image }: APIEmbed, { x, y, width }: Frame, { files }: EmbedSetting): Drawn {
  const bytes = files.get(image?.url.split('/').at(-1)?.split('?')[0] ?? '');
  if (bytes === undefined) return { svg: '', height: 0 };
  const png = Buffer.from(bytes);
  const height = (width * png.readUInt32BE(20)) / png.readUInt32BE(16);
  const data = `data:image/png;base64,${png.toString('base64')}`;
  const svg = `<image x="${x}" y="${y}" width="${width}" height="${height.toFixed(1)}" href="${data}"/>`;
  return { svg, height: height + 4 };
}
