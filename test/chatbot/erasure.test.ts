import { afterEach, describe, expect, it } from 'vitest';
import type { Strategy } from '../../src/conversation/settings.js';
import { openChatbot, type TestChatbot } from '../support/chatbot.js';
import { scriptedModel } from '../support/scripted-model.js';

let world: TestChatbot;
afterEach(() => world.close());

const small: Strategy = { name: 'summary-buffer', limit: { unit: 'messages', max: 4, keep: 2 }, maxSummaryTokens: 200 };
const bob = { authorId: 'bob', authorName: 'Bob' };

describe('forgetting', () => {
  it('erases a session with its summary', async () => {
    world = await openChatbot();
    await world.chatbot.set('server:terminal', 'strategy', small);
    for (const text of ['one', 'two', 'three']) await world.say(text);
    await world.chatbot.folded(2_000);
    const receipt = await world.chatbot.forget(world.session, { what: 'session' });
    expect(receipt).toEqual({ messages: 3, answers: 3, summary: 'erased' });
    await world.say('who am I?');
    expect(world.model.asked.at(-1)?.prompt).toMatchObject({ messages: [{ content: 'Ada: who am I?' }] });
    expect(world.model.asked.at(-1)?.prompt.system).not.toContain('summary');
  });

  it('erases a person with the answers to their turns, and rebuilds the summary from the rest', async () => {
    const summarizer = scriptedModel(
      (prompt) => `Said: ${/Bob/u.test(prompt.messages[0]?.content ?? '') ? 'Bob was here' : 'only Ada'}`,
    );
    world = await openChatbot({ summarizer });
    await world.chatbot.set('server:terminal', 'strategy', small);
    await world.say('Ada one');
    await world.say('Bob one', bob);
    await world.say('Ada two');
    await world.chatbot.folded(2_000);
    expect((await world.chatbot.report(world.session)).summary?.text).toBe('Said: Bob was here');
    const receipt = await world.chatbot.forget(world.session, { what: 'me', authorId: 'bob', authorName: 'Bob' });
    expect(receipt).toEqual({ messages: 1, answers: 1, summary: 'rebuilding' });
    await world.chatbot.folded(2_000);
    expect((await world.chatbot.report(world.session)).summary?.text).toBe('Said: only Ada');
  });

  it.each([
    ['rewritten by the model', 'Only Ada is left.', 'rewritten', 'Only Ada is left.'],
    ['dropped when the model names the person still', 'Bob left.', 'dropped', undefined],
    ['dropped when the model fails', '', 'dropped', undefined],
  ] as const)('where retention has taken the rows the summary is %s', async (_, rewritten, outcome, text) => {
    const summarizer = scriptedModel((__, call) => (call.task === 'rewrite' ? rewritten : 'Ada and Bob talked.'));
    world = await openChatbot({ summarizer, options: { retentionDays: 0 } });
    await world.chatbot.set('server:terminal', 'strategy', small);
    await world.say('Ada one');
    await world.say('Bob one', bob);
    await world.say('Ada two');
    await world.chatbot.folded(2_000);
    const receipt = await world.chatbot.forget(world.session, { what: 'me', authorId: 'bob', authorName: 'Bob' });
    expect(receipt.summary).toBe(outcome);
    expect((await world.chatbot.report(world.session)).summary?.text).toBe(text);
  });

  it('erases the newest turn, or only one’s own', async () => {
    world = await openChatbot();
    await world.say('Ada one');
    await world.say('Bob one', bob);
    const denied = await world.chatbot.forget(world.session, { what: 'last', authorId: 'ada' });
    expect(denied).toEqual({ messages: 0, answers: 0, summary: 'none' });
    const taken = await world.chatbot.forget(world.session, { what: 'last', authorId: null });
    expect(taken).toMatchObject({ messages: 1, answers: 1 });
    expect((await world.chatbot.report(world.session)).stored).toBe(2);
  });

  it('removes a person under every name that they had, and nobody whose name contains one', async () => {
    const summarizer = scriptedModel((prompt, call) => {
      if (call.task !== 'rewrite') return 'Al and Ben also talked.';
      expect(prompt.messages[0]?.content).toMatch(/<without-\w+>\nAlbert\nAl\n/u);
      return 'Ben also talked.';
    });
    world = await openChatbot({ summarizer, options: { retentionDays: 0 } });
    await world.chatbot.set('server:terminal', 'strategy', small);
    await world.say('one', { authorId: 'al', authorName: 'Al' });
    await world.say('two', { authorId: 'ben', authorName: 'Ben' });
    await world.say('three', { authorId: 'ben', authorName: 'Ben' });
    await world.chatbot.folded(2_000);
    const receipt = await world.chatbot.forget(world.session, { what: 'me', authorId: 'al', authorName: 'Albert' });
    expect(receipt.summary).toBe('rewritten');
    expect((await world.chatbot.report(world.session)).summary?.text).toBe('Ben also talked.');
  });

  it('leaves the summary alone when somebody asks who never said anything there', async () => {
    world = await openChatbot({ options: { retentionDays: 0 } });
    await world.chatbot.set('server:terminal', 'strategy', small);
    for (const text of ['one', 'two', 'three']) await world.say(text);
    await world.chatbot.folded(2_000);
    const receipt = await world.chatbot.forget(world.session, { what: 'me', authorId: 'eve', authorName: 'Eve' });
    expect(receipt).toEqual({ messages: 0, answers: 0, summary: 'none' });
    expect((await world.chatbot.report(world.session)).summary?.text).toBe('summary 1');
  });
});
