import { afterEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/conversation/clock.js';
import { ModelError, type ModelErrorCode } from '../../src/conversation/errors.js';
import type { Usage } from '../../src/conversation/model.js';
import { openChatbot, type TestChatbot } from '../support/chatbot.js';
import { scriptedModel } from '../support/scripted-model.js';

let world: TestChatbot;
afterEach(() => world.close());

const LIMIT = 20_000;

async function limited(
  given: { usage?: Usage | null; ceilings?: { server: number | null; person: number | null } } = {},
) {
  const usage = given.usage === undefined ? { input: 3_000, output: 1_000 } : given.usage;
  const model = scriptedModel(() => 'ok', { completion: { finish: 'stop', usage } });
  const ceilings = given.ceilings ?? { server: LIMIT, person: null };
  world = await openChatbot({ model, options: { ceilings } });
}

const used = async () => (await world.chatbot.accounts.budget(world.session, 'ada')).used;

describe('the budget of a day', () => {
  it('charges what the endpoint reports, to the server and to the one who asked', async () => {
    await limited();
    await world.say('hello');
    await world.say('hello', { authorId: 'bob' });
    expect(await used()).toEqual({ server: 8_000, person: 4_000 });
  });

  it('refuses with the time of the next day when a call could pass the limit, and sends nothing', async () => {
    await limited();
    const outcomes = [];
    for (let i = 0; i < 7; i += 1) outcomes.push((await world.say('hello')).outcome);
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      'answered',
      'answered',
      'answered',
      'answered',
      'answered',
      'failed',
      'failed',
    ]);
    expect(outcomes[5]).toMatchObject({ error: { code: 'budget', whose: 'server', opensAt: Date.UTC(2026, 0, 2) } });
    expect(world.model.asked).toHaveLength(5);
    expect((await used()).server).toBeLessThanOrEqual(LIMIT);
    world.time.now += DAY_MS;
    expect((await world.say('a new day')).outcome.kind).toBe('answered');
  });

  it('says once when four fifths are used', async () => {
    await limited();
    const outcomes = [];
    for (let i = 0; i < 4; i += 1) outcomes.push((await world.say('hello')).outcome);
    expect(outcomes.map((outcome) => 'budgetWarning' in outcome)).toEqual([false, false, false, true]);
  });

  it('refuses a person who has used up their own share, and nobody else', async () => {
    await limited({ ceilings: { server: null, person: 5_000 } });
    await world.say('hello');
    expect((await world.say('hello')).outcome).toMatchObject({ error: { whose: 'person' } });
    expect((await world.say('hello', { authorId: 'bob' })).outcome.kind).toBe('answered');
  });

  it('refuses nobody else when somebody who has used up their share asks last in a turn', async () => {
    await limited({ ceilings: { server: null, person: 5_000 } });
    await world.say('hello', { authorId: 'bob' });
    const ask = (authorId: string, text: string) => {
      const said = { platformId: text, text, authorId, authorName: authorId, quote: null, createdAt: world.time.now };
      return world.chatbot.receive({ ...said, session: world.session, addressed: true });
    };
    await ask('ada', 'from Ada');
    await ask('bob', 'from Bob');
    const outcome = await world.chatbot.answer(world.session, async (pieces) => {
      for await (const _ of pieces);
    });
    const refused = [{ questionId: 'from Bob', error: { whose: 'person' } }];
    expect(outcome).toMatchObject({ kind: 'answered', refused });
    expect(world.model.asked.at(-1)?.prompt.messages.at(-1)?.content).toContain('from Ada');
    expect(await world.chatbot.sessions.pendingSessions()).toEqual([]);
  });

  it('stays at the reserve when usage is absurd, and estimates it when it is missing', async () => {
    await limited({ usage: { input: 1e12, output: 5 } });
    await world.say('hello');
    const { server } = await used();
    expect(server).toBeGreaterThan(1_000);
    expect(server).toBeLessThan(2_000);
    await world.close();
    await limited({ usage: null });
    await world.say('hello');
    expect((await used()).server).toBeLessThan(1_000);
  });

  it('charges nothing for a refused call, and the reserve for one that broke off', async () => {
    const broken = scriptedModel((_, __, n) =>
      n === 1 ? new ModelError('unreachable', 'away') : new ModelError('cut-off', 'broke off'),
    );
    world = await openChatbot({ model: broken, options: { ceilings: { server: LIMIT, person: null } } });
    await world.say('hello');
    expect((await used()).server).toBe(0);
    await world.say('hello');
    expect((await used()).server).toBeGreaterThan(1_000);
  });

  it.each<ModelErrorCode>(['unreachable', 'bad-key', 'quota', 'not-an-api'])(
    'charges nothing while the circuit breaker is open because of %s',
    async (code) => {
      const away = scriptedModel(() => new ModelError(code, 'away', { retryAfter: 15_000 }));
      world = await openChatbot({ model: away, options: { ceilings: { server: LIMIT, person: null } } });
      expect((await world.say('hello')).outcome).toMatchObject({ kind: 'failed', error: { code } });
      expect((await used()).server).toBe(0);
    },
  );

  it('does not overshoot when many ask at once', async () => {
    await limited({ usage: { input: 100, output: 900 }, ceilings: { server: 6_000, person: null } });
    const sessions = Array.from({ length: 8 }, (_, i) => ({
      id: `terminal:s${i}`,
      parentId: null,
      serverId: 'terminal',
    }));
    const asked = sessions.map((session, i) => world.say('hello', { session, platformId: `p${i}` }));
    const kinds = (await Promise.all(asked)).map(({ outcome }) => outcome.kind);
    expect(kinds.filter((kind) => kind === 'failed').length).toBeGreaterThan(0);
    expect(kinds.filter((kind) => kind === 'answered').length).toBeGreaterThan(3);
    expect((await used()).server).toBeLessThanOrEqual(6_000);
  });

  it('goes by what the server has set, but never above the owner’s ceiling', async () => {
    await limited();
    await world.chatbot.accounts.setBudget('server:terminal', { server: 5_000 });
    expect((await world.chatbot.accounts.budget(world.session, 'ada')).limits.server).toBe(5_000);
    await world.chatbot.accounts.setBudget('server:terminal', { server: 1_000_000 });
    expect((await world.chatbot.accounts.budget(world.session, 'ada')).limits.server).toBe(LIMIT);
    await world.chatbot.accounts.setBudget('server:terminal', null);
    expect((await world.chatbot.accounts.budget(world.session, 'ada')).set).toEqual({ server: null, person: null });
  });

  it('charges summaries to the server, and lets a fold wait when nothing is left', async () => {
    const summarizer = scriptedModel(() => 'sum', {
      id: 's',
      completion: { finish: 'stop', usage: { input: 50, output: 5 } },
    });
    world = await openChatbot({ summarizer, options: { ceilings: { server: 6_000, person: null } } });
    await world.chatbot.set('server:terminal', 'strategy', { name: 'summary', maxSummaryTokens: 100 });
    await world.say('hello');
    await world.chatbot.folded(2_000);
    const sums = await world.chatbot.accounts.usage(world.session, 'person', 1, null);
    expect(sums.find(({ key }) => key === '')).toEqual({ key: '', tokens: 55, calls: 1 });
  });

  it('sums up by person, channel and day', async () => {
    await limited({ ceilings: { server: null, person: null } });
    await world.say('hello');
    world.time.now += DAY_MS;
    await world.say('hello', { authorId: 'bob' });
    const by = (what: 'person' | 'channel' | 'day') => world.chatbot.accounts.usage(world.session, what, 7, null);
    expect((await by('person')).map(({ key, tokens }) => [key, tokens])).toEqual([
      ['ada', 4_000],
      ['bob', 4_000],
    ]);
    expect(await by('channel')).toEqual([{ key: world.session.id, tokens: 8_000, calls: 2 }]);
    expect((await by('day')).map(({ key }) => key)).toEqual(['2026-01-01', '2026-01-02']);
    expect(await world.chatbot.accounts.usage(world.session, 'person', 7, 'bob')).toHaveLength(1);
  });
});
