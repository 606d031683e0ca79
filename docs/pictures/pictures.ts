import type { APIMessage } from 'discord.js';
import { type Above, drawMessage, type Setting } from './message.js';
import type { Scene } from './scene.js';
import { drawPage } from './svg.js';

const WIDTH = 720;
const TOP = 66;
const GAP = 18;

/** The talk as Discord shows it. */
export function drawConversation(scene: Scene): string {
  return draw(
    'Ada and Ben talk with Keepsake on Discord',
    scene,
    scene.talk.map((message) => [message, null]),
  );
}

/** A strategy being set, and what `/memory show` answers. */
export function drawMemory(scene: Scene): string {
  return draw('Ada sets a strategy and looks at the memory', scene, [
    [scene.strategy, { who: 'Ada', did: 'used `/memory strategy window k:8`' }],
    [scene.report, { who: 'Ada', did: 'used `/memory show`' }],
  ]);
}

function draw(title: string, scene: Scene, messages: [APIMessage, Above | null][]): string {
  const people = [...scene.talk, ...scene.talk.flatMap(({ mentions }) => mentions.map((author) => ({ author })))];
  const setting: Setting = {
    width: WIDTH,
    names: new Map(people.map(({ author }) => [author.id, author.username])),
    files: new Map([[scene.report.attachments[0]?.filename ?? '', scene.gauge]]),
    clock: { minute: 10 * 60 + 2, at: Date.parse(scene.talk[0]?.timestamp ?? '') },
  };
  let y = TOP;
  const drawn = messages.map(([message, above]) => {
    const { svg, height } = drawMessage(message, y, setting, above);
    y += height + GAP;
    return svg;
  });
  return drawPage(WIDTH, Math.round(y + 4), title, 'general', drawn.join('\n'));
}
