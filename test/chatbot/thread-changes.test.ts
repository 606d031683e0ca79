import { expect, it, onTestFinished } from 'vitest';
import { type Session, serverScope } from '../../src/conversation/session.js';
import { putOnBench } from './bench.js';

const CHANNEL: Session = { id: 'discord:1', parentId: null, serverId: '9' };
const THREAD: Session = { id: 'discord:2', parentId: CHANNEL.id, serverId: '9' };
const FEW = { name: 'summary-buffer', limit: { unit: 'messages', max: 4, keep: 2 }, maxSummaryTokens: 400 };

it.each(['erasure', 'edit'] as const)(
  'a thread is folded as its channel says, also after an %s that does not name the channel',
  async (change) => {
    const bench = await putOnBench();
    onTestFinished(() => bench.close());
    await bench.bot.set(serverScope('9'), 'strategy', { name: 'summary', maxSummaryTokens: 400 });
    await bench.bot.set(CHANNEL.id, 'strategy', FEW);
    for (let n = 1; n <= 3; n += 1) await bench.say(`said ${n}`, { session: THREAD });
    await bench.bot.folded(5_000);
    const live = async () => (await bench.parts.store.loadHistory(THREAD.id, { summary: true })).messages.length;
    expect(await live()).toBe(2);
    const nameless = { ...THREAD, parentId: null };
    if (change === 'erasure') await bench.bot.erase(nameless, ['m1']);
    else await bench.bot.edit(nameless, { platformId: 'm1', authorId: 'ada', text: 'said otherwise' });
    await bench.bot.folded(5_000);
    expect(await live()).toBe(2);
  },
);
