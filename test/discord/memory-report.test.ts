import { describe, expect, it } from 'vitest';
import { explainMemory, gaugeAltText } from '../../src/discord/commands/memory-report.js';
import { en } from '../../src/words/en.js';
import { languages } from '../../src/words/index.js';
import { aReport, theSettings, theSummary } from './a-report.js';

const shown = (report = aReport()) => explainMemory(en, report, true).map((embed) => embed.toJSON());
const fieldsOf = (report = aReport()) => shown(report)[0]?.fields ?? [];
const field = (name: string, report = aReport()) => fieldsOf(report).find((each) => each.name === name)?.value;

/** What Discord counts of embeds: titles, descriptions, and names and values of fields. */
function charactersOf(embeds: ReturnType<typeof shown>): number {
  const texts = embeds.flatMap(({ title = '', description = '', fields = [] }) => [
    title,
    description,
    ...fields.flatMap(({ name, value }) => [name, value]),
  ]);
  return texts.join('').length;
}

describe('the memory in Discord', () => {
  it('shows the strategy and where it was set, the model and every part with its number', () => {
    expect(field('strategy')).toBe(
      '`summary-buffer max_tokens:3000 keep_tokens:1500 max_summary_tokens:400` (default)',
    );
    expect(field('model')).toBe('gpt-4o-mini, 8,000 tokens of context');
    expect(field('context, in tokens')?.split('\n')).toEqual([
      '🟪 persona 60',
      '🟦 summary 0',
      '🟩 messages 940 (12 messages)',
      '🟧 answer 1,000',
      '🟨 margin 400',
      '⬜ free 5,600',
    ]);
    expect(field('stored')).toBe('30 messages; 18 of them the model no longer sees word for word');
  });

  it('says what the summary covers, and gives its text in an embed of its own', () => {
    const report = aReport({ summary: theSummary('Ada and Ben chose blue.') });
    expect(field('summary', report)).toBe('covers 2026-01-02 03:04 to 2026-01-03 04:05 UTC, written by gpt-4o-mini');
    expect(shown(report)[1]).toMatchObject({ title: 'summary', description: 'Ada and Ben chose blue.' });
  });

  it('tells no summary yet from one that is not used', () => {
    expect(field('summary')).toBe('none yet');
    const window = theSettings({ strategy: { name: 'window', k: 8, unit: 'messages' } });
    expect(field('summary', aReport({ settings: window }))).toBe('not used by this strategy');
  });

  it('cuts a summary visibly where it is too long for an embed', () => {
    const [, embed] = shown(aReport({ summary: theSummary('*'.repeat(5_000)) }));
    expect(embed?.description?.length).toBeLessThanOrEqual(4_096);
    expect(embed?.description).toMatch(/\\\*… \(cut here\)$/u);
  });

  it('takes from a summary what Discord would make of it', () => {
    const hostile = '# Heading\n[a bank](https://evil.example) **bold** ||hidden|| `code` @everyone';
    const [, embed] = shown(aReport({ summary: theSummary(hostile) }));
    expect(embed?.description).toBe(
      '\\# Heading\n\\[a bank](https://evil.example) \\*\\*bold\\*\\* \\|\\|hidden\\|\\| \\`code\\` @everyone',
    );
  });

  it('states what limits the memory, and that all talk is remembered', () => {
    const report = aReport({
      settings: theSettings({ listen: 'all' }),
      rebuilding: true,
      limitedBy: 'budget',
      cutByRetention: true,
    });
    const notes = fieldsOf(report).filter(({ name }) => name === 'note');
    expect(notes.map(({ value }) => value)).toEqual([
      en.report.listeningToAll,
      en.report.rebuilding,
      en.report.limitedByBudget,
      en.report.cutByRetention(30),
    ]);
    expect(fieldsOf().filter(({ name }) => name === 'note')).toEqual([]);
  });

  it('says when the next try comes after a fold that failed, and what to do', () => {
    const retryAt = Date.UTC(2026, 4, 6, 7, 8);
    const fold = { status: 'waiting-to-retry', failures: 2, retryAt, error: 'unreachable' } as const;
    expect(field('folding', aReport({ fold }))).toBe(
      `the last fold failed, nothing was lost; next try 2026-05-06 07:08 UTC after 2 failures\n${en.errors.unreachable}`,
    );
  });

  it('stays within Discord’s limits in every language, whatever model and summary are called', () => {
    const summary = { ...theSummary('_~*'.repeat(3_000)), model: '*'.repeat(200) };
    const fold = { status: 'waiting-to-retry', failures: 9, retryAt: 0, error: 'schema-edited' } as const;
    const report = aReport({
      model: '`'.repeat(200),
      summary,
      fold,
      rebuilding: true,
      limitedBy: 'budget',
      cutByRetention: true,
    });
    for (const words of Object.values(languages)) {
      const embeds = explainMemory(words, report, true).map((embed) => embed.toJSON());
      expect(charactersOf(embeds)).toBeLessThanOrEqual(6_000);
      for (const { fields = [] } of embeds) {
        expect(fields.every(({ value }) => value.length >= 1 && value.length <= 1_024)).toBe(true);
      }
    }
  });

  it('shows no picture where none was drawn', () => {
    expect(shown()[0]?.image).toEqual({ url: 'attachment://gauge.png' });
    expect(explainMemory(en, aReport(), false)[0]?.toJSON().image).toBeUndefined();
  });

  it('tells the gauge in words to who cannot see it', () => {
    expect(gaugeAltText(en, aReport())).toBe(
      'Gauge of the context of 8,000 tokens: persona 60, summary 0, messages 940, answer 1,000, margin 400, free 5,600',
    );
  });
});
