import { afterEach, describe, expect, it } from 'vitest';
import { ModelError } from '../../src/conversation/errors.js';
import type { Strategy } from '../../src/conversation/settings.js';
import { openStore } from '../../src/storage/open.js';
import { openChatbot, type TestChatbot } from '../support/chatbot.js';
import { gate } from '../support/gate.js';
import { type Line, type ScriptedModel, scriptedModel } from '../support/scripted-model.js';

let world: TestChatbot;
afterEach(() => world.close());

const byMessages: Strategy = {
  name: 'summary-buffer',
  limit: { unit: 'messages', max: 6, keep: 2 },
  maxSummaryTokens: 100,
};

async function talk(turns: number, strategy: Strategy = byMessages): Promise<void> {
  await world.chatbot.set('server:terminal', 'strategy', strategy);
  for (let i = 1; i <= turns; i += 1) await world.say(`fact ${i}`);
  await world.chatbot.folded(2_000);
}

const summarizer = (script: (n: number, input: string) => Line | Promise<Line>): ScriptedModel =>
  scriptedModel((prompt, _, n) => script(n, prompt.messages[0]?.content ?? ''), { id: 'summarizer' });

describe('compaction', () => {
  it('folds from max down to keep, and sends the summary instead', async () => {
    world = await openChatbot({ summarizer: summarizer(() => 'Ada told facts.') });
    await talk(4);
    const report = await world.chatbot.report(world.session);
    expect([report.sent, report.stored, report.unseen]).toEqual([2, 8, 6]);
    expect(report.summary).toMatchObject({ text: 'Ada told facts.', model: 'summarizer', fromSeq: 1, throughSeq: 6 });
    expect(world.summarizer.asked).toHaveLength(1);
  });

  it('asks for a summary of the old summary and of the folded messages only, each once', async () => {
    world = await openChatbot({ summarizer: summarizer((n) => `summary number ${n}`) });
    await world.chatbot.set('server:terminal', 'strategy', byMessages);
    for (let i = 1; i <= 7; i += 1) {
      await world.say(`fact ${i}`);
      await world.chatbot.folded(2_000);
    }
    const inputs = world.summarizer.asked.map(({ prompt }) => prompt.messages[0]?.content ?? '');
    expect(inputs[0]).not.toContain('summary number');
    expect(inputs[1]).toContain('summary number 1');
    for (let i = 1; i <= 6; i += 1) {
      expect(inputs.filter((input) => new RegExp(`Ada: fact ${i}$`, 'mu').test(input)).length).toBe(1);
    }
  });

  it('answers before it folds', async () => {
    const late = gate();
    world = await openChatbot({ summarizer: summarizer(() => late.opened.then(() => 'late summary')) });
    await world.chatbot.set('server:terminal', 'strategy', byMessages);
    for (let i = 1; i <= 5; i += 1) await world.say(`fact ${i}`);
    const whileFolding = world.model.asked.at(-1)?.prompt.messages ?? [];
    expect(whileFolding[0]?.content).toBe('Ada: fact 1');
    expect((await world.chatbot.report(world.session)).fold.status).toBe('running');
    late.open();
    await world.chatbot.folded(2_000);
    expect((await world.chatbot.report(world.session)).summary?.text).toBe('late summary');
  });

  it.each<[string, () => Line]>([
    ['throws', () => new ModelError('unreachable', 'away')],
    ['returns nothing', () => ''],
    ['refuses', () => "I'm sorry, but I can't help with that."],
    ['returns an error text', () => 'Error generating summary: 429 Too Many Requests'],
    ['returns more than it was given', () => 'word '.repeat(2_000)],
  ])('changes nothing when the summarizer %s, and says so', async (_, line) => {
    world = await openChatbot({ summarizer: summarizer(line) });
    await talk(4);
    const report = await world.chatbot.report(world.session);
    expect([report.stored, report.sent, report.summary]).toEqual([8, 8, null]);
    expect(report.fold).toMatchObject({ status: 'waiting-to-retry', failures: 1, retryAt: world.time.now + 1_000 });
  });

  it('changes nothing when the summarizer gives its input back', async () => {
    world = await openChatbot({ summarizer: summarizer((_, input) => input) });
    await talk(4);
    expect((await world.chatbot.report(world.session)).summary).toBeNull();
  });

  it('cuts a summary at a sentence border, within its cap', async () => {
    world = await openChatbot({ summarizer: summarizer(() => 'A short sentence that says something. '.repeat(8)) });
    await world.chatbot.set('server:terminal', 'strategy', { ...byMessages, maxSummaryTokens: 50 });
    for (let i = 1; i <= 4; i += 1) await world.say(`fact ${i} ${'x'.repeat(200)}`);
    await world.chatbot.folded(2_000);
    const { summary } = await world.chatbot.report(world.session);
    expect(summary?.text).toBe('A short sentence that says something. A short sentence that says something.');
    expect(summary?.tokens).toBeLessThanOrEqual(50);
  });

  it('discards a summary of a conversation that was edited meanwhile, and folds it again', async () => {
    world = await openChatbot({
      summarizer: summarizer(async (n) => {
        if (n === 1) await world.deps.store.edit(world.session.id, 'm1', 'another fact');
        return `summary ${n}`;
      }),
    });
    await talk(4);
    expect(world.summarizer.asked).toHaveLength(2);
    expect(world.summarizer.asked[1]?.prompt.messages[0]?.content).toContain('another fact');
    expect((await world.chatbot.report(world.session)).summary?.text).toBe('summary 2');
  });

  it('does not bring back what was forgotten while it was summarized', async () => {
    world = await openChatbot({
      summarizer: summarizer(async () => {
        await world.chatbot.forget(world.session, { what: 'session' });
        return 'what was forgotten';
      }),
    });
    await talk(4);
    const report = await world.chatbot.report(world.session);
    expect([report.stored, report.summary]).toEqual([0, null]);
  });

  it('rebuilds a summary over an erased message from the rows that are left', async () => {
    world = await openChatbot({ summarizer: summarizer((n) => `summary ${n}`) });
    await talk(4);
    await world.chatbot.erase(world.session, ['m1']);
    await world.chatbot.folded(2_000);
    expect(world.summarizer.asked[1]?.prompt.messages[0]?.content).not.toMatch(/fact 1|summary 1/u);
    const report = await world.chatbot.report(world.session);
    expect([report.summary?.text, report.rebuilding]).toEqual(['summary 2', false]);
  });

  it('drops a dirty summary when none of its rows is left', async () => {
    world = await openChatbot({ summarizer: summarizer((n) => `summary ${n}`) });
    await talk(4);
    await world.chatbot.erase(world.session, ['m1', 'm2', 'm3']);
    await world.chatbot.folded(2_000);
    expect((await world.deps.store.sessionFacts(world.session.id)).summaries).toEqual([]);
  });

  it('folds everything after each answer under summary', async () => {
    world = await openChatbot({ summarizer: summarizer((n) => `summary ${n}`) });
    await talk(1, { name: 'summary', maxSummaryTokens: 100 });
    const report = await world.chatbot.report(world.session);
    expect([report.sent, report.summary?.text]).toEqual([0, 'summary 1']);
  });

  it('folds an overflow larger than the summarizer’s window in several folds, losing nothing', async () => {
    const seen: string[] = [];
    const small = scriptedModel(
      (prompt) => {
        seen.push(prompt.messages[0]?.content ?? '');
        return 'short';
      },
      { id: 'small', contextWindow: 2_000 },
    );
    world = await openChatbot({ summarizer: small });
    await world.chatbot.set('server:terminal', 'strategy', { name: 'window', k: 0, unit: 'messages' });
    for (let i = 1; i <= 12; i += 1) await world.say(`fact ${i} ${'x'.repeat(400)}`);
    await world.chatbot.set('server:terminal', 'strategy', {
      ...byMessages,
      limit: { unit: 'tokens', max: 1_000, keep: 100 },
    });
    await world.say('the last one');
    await world.chatbot.folded(5_000);
    expect(seen.length).toBeGreaterThan(1);
    for (let i = 1; i <= 12; i += 1) expect(seen.filter((text) => text.includes(`Ada: fact ${i} `))).toHaveLength(1);
  });

  it('stays within the cap over forty folds and keeps the newest clean state', async () => {
    world = await openChatbot({
      summarizer: summarizer(
        (n, input) => `Fold ${n} of ${input.length} characters. ${'More words follow here. '.repeat(10)}`,
      ),
    });
    await world.chatbot.set('server:terminal', 'strategy', {
      ...byMessages,
      limit: { unit: 'messages', max: 2, keep: 0 },
    });
    for (let i = 1; i <= 41; i += 1) {
      await world.say(`fact ${i} ${'x'.repeat(300)}`);
      await world.chatbot.summarize(world.session);
    }
    const report = await world.chatbot.report(world.session);
    expect(world.summarizer.asked.length).toBeGreaterThanOrEqual(40);
    expect(report.summary?.tokens).toBeLessThanOrEqual(100);
    expect(report.summary?.text.startsWith(`Fold ${world.summarizer.asked.length} `)).toBe(true);
  });

  it('folds once more when something was erased while a fold was ending', async () => {
    const store = await openStore(':memory:');
    const saveSummary = store.saveSummary.bind(store);
    let erased = false;
    store.saveSummary = async (...given) => {
      const saved = await saveSummary(...given);
      if (!erased) {
        erased = true;
        await world.chatbot.erase(world.session, ['m1']);
      }
      return saved;
    };
    world = await openChatbot({ deps: { store }, summarizer: summarizer((n) => `summary ${n}`) });
    await talk(4);
    await world.chatbot.set('server:terminal', 'strategy', { name: 'window', k: 2, unit: 'messages' });
    await world.chatbot.folded(2_000);
    const { summaries } = await world.deps.store.sessionFacts(world.session.id);
    expect(summaries.filter(({ dirty }) => dirty)).toEqual([]);
    expect(world.summarizer.asked.at(-1)?.prompt.messages[0]?.content).not.toContain('fact 1');
  });

  it('takes an honest summary that begins with the word error', async () => {
    const honest = `Error 404 was what Ada saw, and she said so at length. ${'Ben asked for the whole log and a screenshot. '.repeat(8)}`;
    world = await openChatbot({ summarizer: summarizer(() => honest) });
    await world.chatbot.set('server:terminal', 'strategy', { ...byMessages, maxSummaryTokens: 400 });
    for (let i = 1; i <= 4; i += 1) await world.say(`fact ${i} ${'x'.repeat(300)}`);
    await world.chatbot.folded(2_000);
    expect((await world.chatbot.report(world.session)).summary?.text).toContain('Error 404');
  });
});
