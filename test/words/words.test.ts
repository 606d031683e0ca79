import { describe, expect, it } from 'vitest';
import { commandName, commandsOf, commandTable } from '../../src/chatbot/commands.js';
import type { ErrorCode } from '../../src/conversation/errors.js';
import { en, type Words } from '../../src/words/en.js';
import { languages, wordsFor } from '../../src/words/index.js';

type Leaf = { path: string; value: unknown };

function leaves(value: unknown, path = ''): Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === '' ? key : `${path}/${key}`));
}

/** What a text says, or null where it cannot take such a value. */
function attempt(say: () => string): string | null {
  try {
    return say();
  } catch {
    return null;
  }
}

const each = Object.entries(languages) as [string, Words][];
/** What may be empty: a line that is left out of a receipt, and a scope that the terminal does not have. */
const MAY_BE_EMPTY = ['forgotten/summary/none', 'terminalOrigins/channel'];
/** Every code of the errors; the compiler holds this list to the type. */
const CODES: Record<ErrorCode, true> = {
  config: true,
  'not-a-database': true,
  'empty-database': true,
  'read-only': true,
  locked: true,
  'no-folder': true,
  'schema-from-future': true,
  'schema-edited': true,
  'migration-failed': true,
  'disk-full': true,
  corrupt: true,
  storage: true,
  unreachable: true,
  timeout: true,
  'rate-limited': true,
  quota: true,
  'bad-key': true,
  'unknown-model': true,
  'context-overflow': true,
  filtered: true,
  'empty-answer': true,
  'cut-off': true,
  'not-an-api': true,
  rejected: true,
  'server-error': true,
  cancelled: true,
  'bad-option': true,
  'unknown-command': true,
  'empty-question': true,
  'not-allowed': true,
  busy: true,
  budget: true,
};

describe('the catalogue', () => {
  it.each(each)(
    'names no mend in %s that few can carry out: most bots have a single model',
    (_, { errors, persona }) => {
      const mends = [...Object.values(errors), persona.tooLarge(2_000, 1_000)];
      expect(
        mends.filter((mend) => /\/settings model|choose a(nother)? model|(选择|選擇|换|換).{0,12}模型/u.test(mend)),
      ).toEqual([]);
    },
  );

  it.each(each)('lacks no key in %s, and has none that English has not', (_, words) => {
    const kind = ({ path, value }: Leaf) => `${path}: ${typeof value}`;
    expect(leaves(words).map(kind).sort()).toEqual(leaves(en).map(kind).sort());
  });

  it.each(each)('says something under every key in %s', (_, words) => {
    const empty = leaves(words).filter(({ value }) => typeof value === 'string' && value.trim() === '');
    expect(empty.map(({ path }) => path).filter((path) => !MAY_BE_EMPTY.includes(path))).toEqual([]);
  });

  it.each(each)('uses every placeholder in %s', (_, words) => {
    const unused = leaves(words).flatMap(({ path, value }) => {
      if (typeof value !== 'function') return [];
      const given = leaves(en).find((leaf) => leaf.path === path)?.value as (...args: unknown[]) => string;
      // Far apart, so that they differ as numbers, as times and as text.
      const args: unknown[] = Array.from({ length: given.length }, (__, n) => (n + 2) * 100_000_000);
      const say = value as (...args: unknown[]) => string;
      return args.flatMap((arg, n) => {
        const said = [arg, Number(arg) * 7, 'server', 'person'].map((other) =>
          attempt(() => say(...args.with(n, other))),
        );
        return new Set(said).size > 1 ? [] : [`${path} ${n}`];
      });
    });
    expect(unused).toEqual([]);
  });

  it.each(['zh-CN', 'zh-TW'] as const)('is translated to %s wherever English has words', (language) => {
    const theirs = new Map(leaves(languages[language]).map(({ path, value }) => [path, value]));
    const same = leaves(en).filter(
      ({ path, value }) => typeof value === 'string' && value !== '' && theirs.get(path) === value,
    );
    expect(same.map(({ path }) => path)).toEqual(['choices/en', 'choices/zh-CN', 'choices/zh-TW']);
  });

  it('writes the two Chinese scripts apart', () => {
    const text = (words: Words) =>
      leaves(words)
        .map(({ value }) => String(value))
        .join('');
    expect(text(languages['zh-CN'])).not.toMatch(/[這個設訊機關說刪開]/u);
    const traditional = leaves(languages['zh-TW']).filter(({ path }) => path !== 'choices/zh-CN');
    expect(traditional.map(({ value }) => String(value)).join('')).not.toMatch(
      /[这个设讯机关说删开]|服务器|默认|视频|信息/u,
    );
  });

  it.each(each)('has a sentence for every error in %s', (_, { errors }) => {
    const sentences: Record<ErrorCode, string> = errors;
    expect(Object.keys(sentences).sort()).toEqual(Object.keys(CODES).sort());
    expect(Object.values(sentences).filter((sentence) => !/[.。]$/u.test(sentence))).toEqual([]);
  });

  it.each(each)('describes every command, group, option and choice in %s, within 100 characters', (_, words) => {
    const wanted = commandTable.flatMap((spec) => [
      words.commands[commandName(spec)],
      ...spec.options.map(({ name }) => words.options[name as keyof Words['options']]),
      ...spec.options.flatMap(({ choices = [] }) =>
        choices.map((value) => words.choices[value as keyof Words['choices']]),
      ),
    ]);
    const texts = [...wanted, ...Object.values(words.groups)];
    expect(texts.filter((text) => typeof text !== 'string' || text.length < 1 || text.length > 100)).toEqual([]);
  });

  it('holds no description of a command, option or choice that is gone', () => {
    const options = commandTable.flatMap((spec) => [...spec.options]);
    expect(Object.keys(en.commands).sort()).toEqual(commandTable.map(commandName).sort());
    expect(Object.keys(en.options).sort()).toEqual([...new Set(options.map(({ name }) => name))].sort());
    expect(Object.keys(en.choices).sort()).toEqual([...new Set(options.flatMap(({ choices = [] }) => choices))].sort());
  });

  it.each(each)('keeps its texts within the fields that Discord shows them in, in %s', (_, words) => {
    const { privacy, persona, forget, reply } = words;
    const fields = [
      privacy.storedText,
      privacy.goesText('m'.repeat(200)),
      privacy.howLongText(36_500),
      privacy.reachText,
    ];
    expect(fields.filter((text) => text.length > 1_024)).toEqual([]);
    const buttons = [privacy.export, privacy.erase, privacy.optIn, privacy.optOut, forget.yes, forget.no, reply.stop];
    expect(buttons.filter((text) => text.length > 80)).toEqual([]);
    expect([persona.title, persona.label].filter((text) => text.length > 45)).toEqual([]);
    expect(persona.placeholder.length).toBeLessThanOrEqual(100);
  });
});

describe('wordsFor', () => {
  it.each([
    ['zh-TW', 'zh-TW'],
    ['zh-CN', 'zh-CN'],
    ['zh', 'zh-CN'],
    ['zh-SG', 'zh-CN'],
    ['zh-HK', 'zh-TW'],
    ['zh-Hant-MO', 'zh-TW'],
    ['en-GB', 'en'],
    ['de', 'en'],
    ['', 'en'],
    ['toString', 'en'],
  ] as const)('speaks to %s in %s', (locale, language) => {
    expect(wordsFor(locale)).toBe(languages[language]);
  });
});

describe('the table of commands', () => {
  it('offers the terminal the memory commands and help alone', () => {
    const names = commandsOf('terminal').map(commandName);
    expect(names.every((name) => name.startsWith('memory ') || name === 'help')).toBe(true);
    expect(names).toHaveLength(10);
  });

  it('offers all of it in Discord', () => {
    expect(commandsOf('discord')).toEqual(commandTable);
  });
});
