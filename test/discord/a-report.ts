import type { MemoryReport } from '../../src/chatbot/report.js';
import type { Summary } from '../../src/conversation/history.js';
import { DEFAULT_STRATEGY, type ResolvedSettings, type Settings } from '../../src/conversation/settings.js';

const values: Settings = {
  strategy: DEFAULT_STRATEGY,
  persona: 'You are kind.',
  model: 'gpt-4o-mini',
  temperature: 1,
  listen: 'addressed',
  respond: 'addressed',
  vision: false,
  language: 'auto',
  budget: { server: null, person: null },
};

/** Settings in force, all by default but those given, which are set here. */
export function theSettings(over: Partial<Settings> = {}): ResolvedSettings {
  const resolved = Object.entries({ ...values, ...over }).map(([key, value]) => [
    key,
    { value, origin: key in over ? 'here' : 'default', since: 0 },
  ]);
  return Object.fromEntries(resolved) as ResolvedSettings;
}

/** A summary with a text. */
export function theSummary(text: string): Summary {
  return {
    id: 1,
    sessionId: 'discord:1',
    text,
    tokens: 80,
    encoding: 'o200k_base',
    fromSeq: 1,
    throughSeq: 9,
    fromAt: Date.UTC(2026, 0, 2, 3, 4),
    throughAt: Date.UTC(2026, 0, 3, 4, 5),
    model: 'gpt-4o-mini',
    dirty: false,
    createdAt: 0,
  };
}

/** A report of a session that has said little. */
export function aReport(over: Partial<MemoryReport> = {}): MemoryReport {
  const settings = over.settings ?? theSettings();
  return {
    strategy: settings.strategy,
    strategyText: 'summary-buffer max_tokens:3000 keep_tokens:1500 max_summary_tokens:400',
    settings,
    model: 'gpt-4o-mini',
    contextWindow: 8_000,
    parts: { persona: 60, summary: 0, messages: 940, answer: 1_000, safety: 400, free: 5_600 },
    sent: 12,
    stored: 30,
    unseen: 18,
    summary: null,
    rebuilding: false,
    limitedBy: null,
    cutByRetention: false,
    retentionDays: 30,
    fold: { status: 'idle', failures: 0, retryAt: null, error: null },
    ...over,
  };
}
