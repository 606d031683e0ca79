import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transcript } from './scripted-endpoint.js';
import { openRunningStage, type Stage } from './stage.js';

/** One white pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=',
  'base64',
);

let stage: Stage;
beforeAll(async () => {
  stage = await openRunningStage();
});
afterAll(() => stage.close());

async function promptFor(word: string): Promise<string> {
  return transcript(await stage.model.asked(word));
}

describe.concurrent('what a message carries beside its text', () => {
  it('is a text file, read to 32 KB and marked where it is cut', async () => {
    const [ada, room] = [stage.person('Ada'), stage.room()];
    const text = `${'0123456789abcde\n'.repeat(2_048)}BEYOND THE LIMIT`;
    await stage.ask(ada, room, 'a long file', { attachments: [{ name: 'long.log', bytes: Buffer.from(text) }] });
    const prompt = await promptFor('a long file');
    expect(prompt).toContain(`[file: long.log, 33 KB]\n${text.slice(0, 32 * 1024)}\n[… the file is cut here]`);
    expect(prompt).not.toContain('BEYOND');
    await stage.ask(ada, room, 'a short file', { attachments: [{ name: 'a.md', bytes: Buffer.from('# short') }] });
    expect(await promptFor('a short file')).toMatch(/\[file: a\.md, 1 KB\]\n# short$/);
  });

  it('is a picture, which only a model that sees is sent, and never its link', async () => {
    const { discord } = stage;
    const [olga, room] = [stage.person('Olga', 'ManageChannels'), stage.room()];
    const picture = { attachments: [{ name: 'dot.png', bytes: PNG }] };
    await stage.ask(olga, room, 'unseen picture', picture);
    expect((await stage.model.asked('unseen picture')).messages.at(-1)?.content).toBe(
      'Olga: unseen picture\n[image: dot.png, 1 KB]',
    );
    await discord.command(olga, room, 'settings vision', { vision: 'on', scope: 'channel' }).reply();
    await stage.ask(olga, room, 'seen picture', picture);
    expect((await stage.model.asked('seen picture')).messages.at(-1)?.content).toMatchObject([
      { type: 'text', text: 'Olga: seen picture\n[image: dot.png, 1 KB]' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG.toString('base64')}` } },
    ]);
    await stage.ask(olga, room, 'the picture before');
    const prompt = await stage.model.asked('the picture before');
    expect(transcript(prompt)).toContain('seen picture\n[image: dot.png, 1 KB]');
    expect(JSON.stringify(prompt)).not.toMatch(/image_url|https?:\/\//);
  });

  it('is a picture alone', async () => {
    const [ada, dm] = [stage.person('Ada'), stage.discord.openDm(stage.person('Dora'))];
    const dora = { id: dm.recipientId ?? ada.id };
    await stage.answerTo(stage.discord.say(dora, dm, '', { attachments: [{ name: 'only.png', bytes: PNG }] }));
    expect(await promptFor('only.png')).toMatch(/user: Dora: \[image: only\.png, 1 KB\]$/);
  });

  it('is a sticker, an embed, a poll, a voice message or a forward, each with its neutral line', async () => {
    const { discord } = stage;
    const [ada, ben, room] = [stage.person('Ada'), stage.person('Ben'), stage.room()];
    const source = discord.say(ben, stage.room(), 'the forwarded words');
    await stage.ask(ada, room, 'has sticker', { stickers: [{ name: 'Wave' }] });
    expect(await promptFor('has sticker')).toMatch(/has sticker\n\[sticker: Wave\]$/);
    await stage.ask(ada, room, 'has embed', { embeds: [{ type: 'rich' as never, title: 'A card' }] });
    expect(await promptFor('has embed')).toMatch(/has embed\n\[embed: A card\]$/);
    await stage.ask(ada, room, 'has poll', { poll: { question: 'Tea?', answers: ['yes', 'no'] } });
    expect(await promptFor('has poll')).toMatch(/has poll\n\[poll: Tea\?\]$/);
    const voice = { attachments: [{ name: 'voice.ogg', bytes: Buffer.from('x'), durationSecs: 1 }], flags: 1 << 13 };
    await stage.ask(ada, room, 'has voice', voice);
    expect(await promptFor('has voice')).toMatch(/has voice\n\[voice message\]$/);
    await stage.ask(ada, room, 'has forward', { forward: source });
    const prompt = await promptFor('has forward');
    expect(prompt).toMatch(/has forward\n\[forwarded: the forwarded words\]$/);
    expect(prompt).not.toContain('Ben');
  });

  it('is mentions, which are read by name', async () => {
    const { discord } = stage;
    const [ada, ben, room] = [stage.person('Ada'), stage.person('Ben'), stage.room()];
    await stage.ask(ada, room, `do you know ${discord.mention(ben)} by name`);
    expect(await promptFor('by name')).toContain('Ada: do you know @Ben by name');
  });
});
