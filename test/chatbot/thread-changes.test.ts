import { expect, it, onTestFinished } from 'vitest';
import { type Session, serverScope } from '../../src/conversation/session.js';
import { openChatbot } from '../support/chatbot.js';

const CHANNEL: Session = { id: 'discord:1', parentId: null, serverId: '9' };
const THREAD: Session = { id: 'discord:2', parentId: CHANNEL.id, serverId: '9' };
const FEW = { name: 'summary-buffer', limit: { unit: 'messages', max: 4, keep: 2 }, maxSummaryTokens: 400 };

it.each(['erasure', 'edit'] as const)(
  'a thread is folded as its channel says, also after an %s that does not name the channel',
  async (change) => {
    const world = await openChatbot();
    onTestFinished(() => world.close());
    await world.chatbot.set(serverScope('9'), 'strategy', { name: 'summary', maxSummaryTokens: 400 });
    await world.chatbot.set(CHANNEL.id, 'strategy', FEW);
    for (let n = 1; n <= 3; n += 1) await world.say(`said ${n}`, { session: THREAD });
    await world.chatbot.folded(5_000);
    const live = async () => (await world.deps.store.loadHistory(THREAD.id, { summary: true })).messages.length;
    expect(await live()).toBe(2);
    const nameless = { ...THREAD, parentId: null };
    if (change === 'erasure') await world.chatbot.erase(nameless, ['m1']);
    else await world.chatbot.edit(nameless, { platformId: 'm1', authorId: 'ada', text: 'said otherwise' });
    await world.chatbot.folded(5_000);
    expect(await live()).toBe(2);
  },
);
