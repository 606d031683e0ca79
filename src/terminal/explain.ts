import { type CommandSpec, commandName, commandsOf } from '../chatbot/commands.js';
import { rangeOf } from '../chatbot/options.js';
import type { MemoryReport } from '../chatbot/report.js';
import type { Words } from '../words/en.js';
import { safeText } from './safe-text.js';

const BAR_CELLS = 48;
const GLYPHS = { persona: 'P', summary: 'S', messages: 'M', answer: 'A', safety: '~', free: '·' } as const;

/** The lines of `/memory show`: what the next request would carry, and why. */
export function explainReport(words: Words, sessionId: string, report: MemoryReport): string[] {
  const { report: say } = words;
  const line = (label: string, text: string) => `  ${label.padEnd(9)} ${text}`;
  const notes = [
    report.rebuilding && say.rebuilding,
    report.limitedBy === 'budget' && say.limitedByBudget,
    report.cutByRetention && say.cutByRetention(report.retentionDays),
  ].filter((note) => note !== false);
  return [
    say.title(sessionId),
    line(say.strategy, `${report.strategyText} (${words.terminalOrigins[report.strategy.origin]})`),
    line(say.model, say.modelWindow(report.model, report.contextWindow)),
    `  [${bar(report.parts)}]`,
    `  ${legend(words, report)}`,
    line(say.stored, say.storedUnseen(report.stored, report.unseen)),
    ...explainSummary(words, report).map((text, i) => line(i === 0 ? say.summary : '', text)),
    line(say.folding, explainFold(words, report)),
    ...notes.map((note) => line(say.note, note)),
  ];
}

function explainSummary(words: Words, { summary, strategy }: MemoryReport): string[] {
  if (summary === null) {
    return [strategy.value.name.startsWith('summary') ? words.report.noSummary : words.report.notSent];
  }
  return [words.report.covers(summary.fromAt, summary.throughAt, summary.model), ...safeText(summary.text).split('\n')];
}

function explainFold(words: Words, { fold }: MemoryReport): string {
  const retry = fold.retryAt === null ? '' : `; ${words.fold.retryAt(fold.retryAt, fold.failures)}`;
  return `${words.fold[fold.status]}${retry}${fold.error === null ? '' : ` (${fold.error})`}`;
}

function legend(words: Words, { parts, sent }: MemoryReport): string {
  const keys = Object.keys(GLYPHS) as (keyof typeof GLYPHS)[];
  return keys
    .map((key) => {
      const extra = key === 'messages' ? ` (${words.report.messagesSent(sent)})` : '';
      return `${GLYPHS[key]} ${words.report.parts[key]} ${parts[key].toLocaleString('en-US')}${extra}`;
    })
    .join('  ');
}

/** A bar of the context window; each part that is not empty gets at least one cell. */
function bar(parts: MemoryReport['parts']): string {
  const whole = Object.values(parts).reduce((sum, part) => sum + part, 0);
  const used = (['persona', 'summary', 'messages', 'answer', 'safety'] as const).map((key) => {
    const cells = parts[key] === 0 ? 0 : Math.max(1, Math.round((parts[key] / whole) * BAR_CELLS));
    return GLYPHS[key].repeat(cells);
  });
  return used.join('').slice(0, BAR_CELLS).padEnd(BAR_CELLS, GLYPHS.free);
}

/** The lines of `/help`, from the table of commands. */
export function explainHelp(words: Words): string[] {
  const usage = (spec: CommandSpec) =>
    [`/${spec.path.join(' ')}`, ...spec.options.map((option) => optionUsage(option))].join(' ');
  return [
    words.help,
    ...commandsOf('terminal').map((spec) => `  ${usage(spec)}\n      ${words.commands[commandName(spec)]}`),
    `  /quit\n      ${words.quit}`,
  ];
}

function optionUsage(option: Parameters<typeof rangeOf>[0]): string {
  const text = `${option.name}:${rangeOf(option)}`;
  return option.required === true ? text : `[${text}]`;
}
