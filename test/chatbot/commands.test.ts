import { describe, expect, it } from 'vitest';
import {
  checkOptions,
  commandName,
  commandsOf,
  MAX_QUESTION_LENGTH,
  type RawOptions,
} from '../../src/chatbot/commands.js';

function check(name: string, ...given: RawOptions) {
  const spec = commandsOf('discord').find((candidate) => commandName(candidate) === name);
  if (spec === undefined) throw new Error(`no command ${name}`);
  return () => checkOptions(spec, given);
}

describe('options', () => {
  it.each([0, 0.35, 2, '1.5'])('take the number %j where fractions are allowed', (value) => {
    expect(check('settings temperature', ['temperature', value])()).toEqual({ temperature: Number(value) });
  });

  it.each([-0.1, 2.1, Number.NaN, Number.POSITIVE_INFINITY, 'warm', '1e0', ''])('refuse %j for it', (value) => {
    expect(check('settings temperature', ['temperature', value])).toThrow('temperature must be a number in 0–2.');
  });

  it('refuse a fraction where a whole number is wanted', () => {
    expect(check('memory strategy window', ['k', 2.5])).toThrow('k must be a whole number in 0–500.');
  });

  it('refuse a text that is too long, without repeating it', () => {
    const longest = 'x'.repeat(MAX_QUESTION_LENGTH);
    expect(check('chat', ['message', longest])()).toEqual({ message: longest });
    expect(check('chat', ['message', `${longest}x`])).toThrow(
      'message must have at most 6,000 characters; shorten it.',
    );
  });

  it('refuse what is no choice, and suggest the nearest', () => {
    expect(check('settings listen', ['listen', 'al'])).toThrow(/addressed or all; did you mean all\?$/u);
    expect(check('settings reset', ['setting', 'strategy'])).toThrow(/^setting must be persona, .* or everything/u);
  });

  it('refuse what is missing, given twice or unknown', () => {
    expect(check('settings model')).toThrow(/^model is missing/u);
    expect(check('settings model', ['model', 'a'], ['model', 'b'])).toThrow('model is given twice; give it once.');
    expect(check('memory show', ['k', 1])).toThrow('There is no option k; this command takes none.');
  });
});
