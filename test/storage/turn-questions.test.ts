import { describe, expect, it } from 'vitest';
import { matchAnswers } from '../../src/storage/sqlite/turn-questions.js';

/** A list that counts how often it is looked into. */
function counted(numbers: readonly number[]) {
  const looks = { count: 0 };
  const list = new Proxy(numbers, {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/u.test(key)) looks.count += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  return { list, looks };
}

describe('the answers to messages', () => {
  it('are the next ones after them, each once', () => {
    expect(matchAnswers([1, 2, 5, 9], [3, 4, 7])).toEqual([3, 7]);
    expect(matchAnswers([], [3])).toEqual([]);
    expect(matchAnswers([1], [])).toEqual([]);
  });

  it.each([1, 10, 1_000])('are found in one pass, with an answer after each %i messages', (every) => {
    const all = Array.from({ length: 20_000 }, (_, i) => i + 1);
    const said = counted(all.filter((seq) => seq % (every + 1) !== 0));
    const answers = counted(all.filter((seq) => seq % (every + 1) === 0));
    expect(matchAnswers(said.list, answers.list)).toEqual([...answers.list]);
    expect(said.looks.count + answers.looks.count).toBeLessThan(4 * all.length);
  });
});
