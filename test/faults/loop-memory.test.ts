import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../src/conversation/session.js';
import { checkPromises, type TakenBack } from '../support/check-promises.js';
import { aMessage } from '../support/conversation.js';
import type { FakeChannel } from '../support/fake-discord/index.js';
import { type InProcessWorld, openInProcessWorld } from '../support/in-process-world.js';
import { answerByMarks, atRest, type FaultKind, failAt } from './loop.js';

/** What is done to a memory; it resolves with the words that it takes back. */
type Deed = (scene: Scene) => Promise<string[]>;

type Scene = { world: InProcessWorld; n: number; channel: FakeChannel; session: Session; ids: string[] };

let world: InProcessWorld;
beforeEach(async () => {
  world = await openInProcessWorld({ options: { foldRetryMs: 20 } });
  answerByMarks(world);
  await world.start();
});
afterEach(() => world.close());

const STRATEGY = { max_messages: 5, keep_messages: 3 };

/** A channel in which six things were said, remembered as they are; a summary covers the oldest when `folded`. */
async function setScene(n: number, folded: boolean): Promise<Scene> {
  const channel = world.discord.addChannel(world.guild);
  const session: Session = { id: `discord:${channel.id}`, serverId: world.guild.id, parentId: null };
  const { chatbot, store } = world.running();
  await store.openSession(session);
  const texts = Array.from({ length: 6 }, (_, i) => `it is k${n}n${i + 1}q`);
  const said = texts.map((text) => world.discord.say(world.ada, channel, text, { unseen: true }));
  const common = { sessionId: session.id, authorId: world.ada.id, authorName: 'Ada', state: 'heard' as const };
  const rows = said.map(({ id, content }) =>
    aMessage({ ...common, platformId: id, text: content, createdAt: Date.now() }),
  );
  await store.appendAll(rows);
  if (folded) await chatbot.setStrategy(session, session.id, 'summary-buffer', STRATEGY);
  await atRest(world);
  return { world, n, channel, session, ids: said.map(({ id }) => id) };
}

/** Does the deed with the first, second, … step failing, until it passes untouched; gives what was taken back. */
async function loop(kind: FaultKind, deed: Deed, folded = true): Promise<{ struck: string[]; faults: string[] }> {
  const channels: FakeChannel[] = [];
  const struck: string[] = [];
  const takenBack: TakenBack[] = [];
  for (let n = 1; ; n += 1) {
    const scene = await setScene(n, folded);
    channels.push(scene.channel);
    const armed = failAt(n, kind);
    const settled = () => world.running().chatbot.folded(5_000);
    const done = deed(scene).catch(() => deed(scene));
    await Promise.race([armed.struck, done.then(settled)]);
    if (kind === 'stall' && armed.hit !== null) await world.ask(`meanwhile k${n}n9q`, scene.channel);
    armed.release();
    const words = await done;
    await atRest(world);
    takenBack.push(...words.map((word) => ({ word, requests: world.openai.chats().length })));
    await world.ask(`and then k${n}n10q`, scene.channel);
    await atRest(world);
    if (armed.hit === null) break;
    struck.push(armed.hit);
  }
  await world.stop();
  return { struck, faults: checkPromises({ ...world, channels, takenBack, log: JSON.stringify(world.log) }) };
}

const fold: Deed = async ({ session }) => {
  await world.running().chatbot.setStrategy(session, session.id, 'summary-buffer', STRATEGY);
  return [];
};

const edit: Deed = async ({ session, n, ids }) => {
  await world.running().chatbot.edit(session, { platformId: ids[0] ?? '', authorId: 'ada', text: `no, k${n}n11q` });
  return [`k${n}n1q`];
};

const erase: Deed = async ({ session, n, ids }) => {
  await world.running().chatbot.erase(session, ids.slice(0, 2));
  return [`k${n}n1q`, `k${n}n2q`];
};

const forgetAll: Deed = async ({ session, n }) => {
  await world.running().chatbot.forget(session, { what: 'session' });
  return [1, 2, 3, 4, 5, 6].map((i) => `k${n}n${i}q`);
};

const forgetMe: Deed = async ({ session, n }) => {
  await world.running().chatbot.forget(session, { what: 'me', authorId: world.ada.id, authorName: 'Ada' });
  return [1, 2, 3, 4, 5, 6].map((i) => `k${n}n${i}q`);
};

describe.each(['throw', 'stall'] as const)('whichever step is made to %s, one after the other', (kind) => {
  it('a fold loses nothing and covers what it folded only', async () => {
    const { struck, faults } = await loop(kind, fold, false);
    expect(struck).toContain('fold:after-model');
    expect(faults).toEqual([]);
  });

  it('an edit reaches the summary', async () => {
    expect((await loop(kind, edit)).faults).toEqual([]);
  });

  it('a delete reaches the summary', async () => {
    expect((await loop(kind, erase)).faults).toEqual([]);
  });

  it('a forget leaves nothing', async () => {
    expect((await loop(kind, forgetAll)).faults).toEqual([]);
  });

  it('forgetting a person leaves nothing of them', async () => {
    expect((await loop(kind, forgetMe)).faults).toEqual([]);
  });
});
