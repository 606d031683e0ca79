import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReasoningFilter } from '../../src/llm/reasoning.js';
import { answer, stream } from '../support/fake-openai/index.js';
import { ask, call, failureOf, modelOf, useFakeOpenAI } from './model-calls.js';

function filtered(pieces: readonly string[], unmarked = false, complete = true): string {
  const filter = createReasoningFilter(unmarked);
  const shown = pieces.map((piece) => filter.push(piece));
  return shown.join('') + filter.end(complete);
}

const word = fc.constantFrom('tea', ' ', '\n', '<', '</', '<thin', 'k>', '>', '😀', '茶', '`', '<thinking>', '<b>');
const prose = fc.array(word, { maxLength: 12 }).map((words) => words.join(''));
const harmless = prose.filter((text) => !/<\/?think>/.test(text) && !text.endsWith('`'));

/** Cuts a text into pieces at arbitrary places. */
const cut = (text: string, at: readonly number[]): string[] => {
  const places = [...new Set(at.map((n) => n % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => text.slice(from, places[index]));
};

describe('reasoning', () => {
  it('is removed wherever the pieces are cut, and nothing else is', () => {
    fc.assert(
      fc.property(harmless, prose, harmless, fc.array(fc.nat(200)), (before, thought, after, places) => {
        fc.pre(!thought.includes('</think>') && !/<\/?think>/.test(before + after));
        const closed = `${before}<think>${thought.replaceAll('`', "'")}</think>${after}`;
        const expected = before.trim() === '' ? after.trimStart() : before.trimStart() + after;
        expect(filtered(cut(closed, places))).toBe(expected);
      }),
    );
  });

  it('that is never closed is removed to the end', () => {
    expect(filtered(['Answer. <th', 'ink>so I ', 'wonder'])).toBe('Answer. ');
  });

  it('without its opening tag is removed when no text was shown before', () => {
    expect(filtered(['Hm, they ask</think>\n\nTea.'])).toBe('Tea.');
    expect(filtered(['  ', '\n', 'Hm</think>hm</think>', ' Tea.'])).toBe('Tea.');
  });

  it('without its opening tag has leaked when text was shown before', () => {
    const filter = createReasoningFilter(false);
    expect(filter.push('Hm, they ask')).toBe('Hm, they ask');
    filter.push('</think>Tea.');
    expect([filter.leaked(), filter.sawUnopenedTag()]).toEqual([true, true]);
  });

  it('that is expected without its opening tag is held back until the closing tag', () => {
    const filter = createReasoningFilter(true);
    expect(filter.push('Hm, they ask')).toBe('');
    expect(filter.held()).toBe(12);
    expect(filter.push('</thi')).toBe('');
    expect(filter.push('nk>\nTea')).toBe('Tea');
    expect(filter.push(' and milk')).toBe(' and milk');
    expect(filter.leaked()).toBe(false);
  });

  it('that was expected and did not come leaves all as the answer, unless cut off', () => {
    expect(filtered(['Tea ', 'and milk.'], true)).toBe('Tea and milk.');
    expect(filtered(['Hm, they ', 'ask'], true, false)).toBe('');
  });

  it('is not a tag in backticks', () => {
    expect(filtered(['Write `<think>` first, then `', '</think>`.'])).toBe('Write `<think>` first, then `</think>`.');
  });

  it('holds back nothing but what could begin a tag', () => {
    const filter = createReasoningFilter(false);
    expect(filter.push('a < b')).toBe('a < b');
    expect(filter.push(' <')).toBe(' ');
    expect(filter.push('b> c')).toBe('<b> c');
    expect(filter.push('</t')).toBe('');
    expect(filter.end(true)).toBe('</t');
  });
});

describe('a model that reasons', () => {
  const fake = useFakeOpenAI();

  it('in tags or in a field of its own yields only its answer', async () => {
    fake.script(stream('<thi', 'nk>They ask', '</think>', '\n\nTea', ' it is.', { finish: 'stop' }));
    fake.script(
      stream({ delta: { reasoning_content: 'They ask' } }, { delta: { reasoning: 'x' } }, 'Tea.', { finish: 'stop' }),
    );
    expect((await call(modelOf(fake))).text).toBe('Tea it is.');
    expect((await call(modelOf(fake))).text).toBe('Tea.');
  });

  it('behind a template that opens the reasoning fails once, then yields only its answer', async () => {
    const model = modelOf(fake);
    const unmarked = stream('They ask ', 'what</think>', 'Tea', '.', { finish: 'stop' });
    fake.script(unmarked, unmarked, answer('Tea without a thought.'));
    expect((await failureOf(call(model))).code).toBe('cut-off');
    expect((await call(model)).pieces).toEqual(['Tea', '.']);
    expect((await call(model)).text).toBe('Tea without a thought.');
    expect(fake.requests).toHaveLength(3);
  });

  it('and is known by its name for such a template does not fail', async () => {
    fake.script(stream('They ask ', 'what</think>', 'Tea.', { finish: 'stop' }));
    expect((await call(modelOf(fake, { model: 'deepseek-r1:8b' }))).text).toBe('Tea.');
  });

  it('and is cut off while it reasons has given no answer', async () => {
    fake.script(stream('They ask ', 'what', { finish: 'length' }));
    const error = await failureOf(call(modelOf(fake, { model: 'qwq:32b' }), ask('Tea?')));
    expect(error.code).toBe('empty-answer');
  });
});
