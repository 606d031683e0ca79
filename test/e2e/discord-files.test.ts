import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { promptText } from '../support/scripted-endpoint.js';
import { openRunningWorld, type ProcessWorld } from './process-world.js';

/** One white pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=',
  'base64',
);

let world: ProcessWorld;
beforeAll(async () => {
  world = await openRunningWorld();
});
afterAll(() => world.close());

describe.concurrent('what a message carries beside its text', () => {
  it('is a text file, read to 32 KB and marked where it is cut', async () => {
    const [ada, channel] = [world.addMember('Ada'), world.addChannel()];
    const text = `${'0123456789abcde\n'.repeat(2_048)}BEYOND THE LIMIT`;
    await world.ask('a long file', channel, ada, { attachments: [{ name: 'long.log', bytes: Buffer.from(text) }] });
    const prompt = await world.model.promptFor('a long file');
    expect(prompt).toContain(`[file: long.log, 33 KB]\n${text.slice(0, 32 * 1024)}\n[… the file is cut here]`);
    expect(prompt).not.toContain('BEYOND');
    await world.ask('a short file', channel, ada, { attachments: [{ name: 'a.md', bytes: Buffer.from('# short') }] });
    expect(await world.model.promptFor('a short file')).toMatch(/\[file: a\.md, 1 KB\]\n# short$/);
  });

  it('is a picture, which only a model that sees is sent, and never its link', async () => {
    const { discord } = world;
    const [olga, channel] = [world.addMember('Olga', 'ManageChannels'), world.addChannel()];
    const picture = { attachments: [{ name: 'dot.png', bytes: PNG }] };
    await world.ask('unseen picture', channel, olga, picture);
    expect((await world.model.asked('unseen picture')).messages.at(-1)?.content).toBe(
      'Olga: unseen picture\n[image: dot.png, 1 KB]',
    );
    await discord.command(olga, channel, 'settings vision', { vision: 'on', scope: 'channel' }).reply();
    await world.ask('seen picture', channel, olga, picture);
    expect((await world.model.asked('seen picture')).messages.at(-1)?.content).toMatchObject([
      { type: 'text', text: 'Olga: seen picture\n[image: dot.png, 1 KB]' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG.toString('base64')}` } },
    ]);
    await world.ask('the picture before', channel, olga);
    const prompt = await world.model.asked('the picture before');
    expect(promptText(prompt)).toContain('seen picture\n[image: dot.png, 1 KB]');
    expect(JSON.stringify(prompt)).not.toMatch(/image_url|https?:\/\//);
  });

  it('is a picture alone', async () => {
    const [ada, dm] = [world.addMember('Ada'), world.discord.openDm(world.addMember('Dora'))];
    const dora = { id: dm.recipientId ?? ada.id };
    await world.answerTo(world.discord.say(dora, dm, '', { attachments: [{ name: 'only.png', bytes: PNG }] }));
    expect(await world.model.promptFor('only.png')).toMatch(/user: Dora: \[image: only\.png, 1 KB\]$/);
  });

  it('is a sticker, an embed, a poll, a voice message or a forward, each with its neutral line', async () => {
    const { discord } = world;
    const [ada, ben, channel] = [world.addMember('Ada'), world.addMember('Ben'), world.addChannel()];
    const source = discord.say(ben, world.addChannel(), 'the forwarded words');
    await world.ask('has sticker', channel, ada, { stickers: [{ name: 'Wave' }] });
    expect(await world.model.promptFor('has sticker')).toMatch(/has sticker\n\[sticker: Wave\]$/);
    await world.ask('has embed', channel, ada, { embeds: [{ type: 'rich' as never, title: 'A card' }] });
    expect(await world.model.promptFor('has embed')).toMatch(/has embed\n\[embed: A card\]$/);
    await world.ask('has poll', channel, ada, { poll: { question: 'Tea?', answers: ['yes', 'no'] } });
    expect(await world.model.promptFor('has poll')).toMatch(/has poll\n\[poll: Tea\?\]$/);
    const voice = { attachments: [{ name: 'voice.ogg', bytes: Buffer.from('x'), durationSecs: 1 }], flags: 1 << 13 };
    await world.ask('has voice', channel, ada, voice);
    expect(await world.model.promptFor('has voice')).toMatch(/has voice\n\[voice message\]$/);
    await world.ask('has forward', channel, ada, { forward: source });
    const prompt = await world.model.promptFor('has forward');
    expect(prompt).toMatch(/has forward\n\[forwarded: the forwarded words\]$/);
    expect(prompt).not.toContain('Ben');
  });

  it('is mentions, which are read by name', async () => {
    const { discord } = world;
    const [ada, ben, channel] = [world.addMember('Ada'), world.addMember('Ben'), world.addChannel()];
    await world.ask(`do you know ${discord.mention(ben)} by name`, channel, ada);
    expect(await world.model.promptFor('by name')).toContain('Ada: do you know @Ben by name');
  });
});
