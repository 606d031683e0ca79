import type { Chatbot } from '../chatbot/chatbot.js';
import {
  type CommandSpec,
  checkOptions,
  closestWord,
  commandName,
  commandsOf,
  commandTable,
  type OptionSpec,
  type OptionValues,
  rangeOf,
} from '../chatbot/commands.js';
import type { ForgetOrder } from '../chatbot/erasure.js';
import type { MemoryReport } from '../chatbot/report.js';
import { CommandError } from '../conversation/errors.js';
import { type Session, serverScope } from '../conversation/session.js';
import { usesSummary } from '../conversation/settings.js';
import type { Words } from '../words/en.js';

const terminalCommands = commandsOf('terminal');
const terminalNames: string[] = terminalCommands.map(commandName);
const discordOnlyNames = commandTable.filter((spec) => !terminalNames.includes(commandName(spec))).map(commandName);

/** Words with which other programs are left. */
const QUIT_SYNONYMS = ['exit', 'bye', 'q', 'logout'];

const BAR_CELLS = 48;
const GLYPHS = { persona: 'P', summary: 'S', messages: 'M', answer: 'A', safety: '~', free: '·' } as const;

/** The author id of whoever types at the terminal. */
export const TERMINAL_AUTHOR = 'terminal';

/**
 * Runs a typed command; resolves with the lines to show.
 * @throws {CommandError} naming the nearest right command or the option's range.
 */
export async function runCommand(
  chatbot: Chatbot,
  words: Words,
  session: Session,
  author: string,
  line: string,
): Promise<string[]> {
  const { spec, options } = parseCommand(line);
  const name = commandName(spec);
  switch (name) {
    case 'help':
      return explainHelp(words);
    case 'memory show':
      return explainReport(words, session.id, await chatbot.report(session));
    case 'memory summarize':
      return summarize(chatbot, words, session);
    case 'memory forget':
      return forget(chatbot, words, session, author, options);
    default: {
      const strategy = name.slice('memory strategy '.length) as StrategyArgument;
      return setStrategy(chatbot, words, session, strategy, options);
    }
  }
}

type StrategyArgument = Parameters<Chatbot['setStrategy']>[2];

async function setStrategy(
  chatbot: Chatbot,
  words: Words,
  session: Session,
  strategy: StrategyArgument,
  { scope, ...strategyOptions }: OptionValues,
): Promise<string[]> {
  const scopeId = scope === 'channel' ? session.id : serverScope(session.serverId ?? 'terminal');
  const change = await chatbot.setStrategy(session, scopeId, strategy, strategyOptions);
  const load = ({ messages, tokens }: typeof change.before) => words.load(messages, tokens);
  const { strategyHidden: say } = words;
  const saved = change.savedText === null ? say.removedForAll : say.savedForAll(change.savedText);
  const lines = change.hidden
    ? [saved, say.session(change.afterText)]
    : [
        words.strategyNow(change.afterText, words.terminalOrigins[change.origin]),
        words.strategyChanged(load(change.before), load(change.after)),
      ];
  return change.sendsNoHistory ? [...lines, words.carriesNothing] : lines;
}

async function summarize(chatbot: Chatbot, words: Words, session: Session): Promise<string[]> {
  const folds = await chatbot.summarize(session);
  const { strategy } = await chatbot.settings(session);
  return [folds === null ? words.notSummarizing(strategy.value.name) : words.summarized(folds)];
}

async function forget(
  chatbot: Chatbot,
  words: Words,
  session: Session,
  author: string,
  { what }: OptionValues,
): Promise<string[]> {
  const orders: Record<string, ForgetOrder> = {
    session: { what: 'session' },
    me: { what: 'me', authorId: TERMINAL_AUTHOR, authorName: author },
    last: { what: 'last', authorId: null },
  };
  const order = orders[String(what)] ?? { what: 'last', authorId: null };
  const receipt = await chatbot.forget(session, order);
  const lines = [words.forgotten.rows(receipt.messages, receipt.answers), words.forgotten.summary[receipt.summary]];
  return lines.filter((text) => text !== '');
}

/** A typed command: its entry in the table and its checked options. */
type TypedCommand = { spec: CommandSpec; options: OptionValues };

/** Parses a line such as `/memory strategy window k:8` by the table of commands. */
function parseCommand(line: string): TypedCommand {
  const words = line.slice(1).trim().split(/\s+/u);
  const path = words.filter((word) => !word.includes(':')).map((word) => word.toLowerCase());
  const spec = terminalCommands.find((candidate) => commandName(candidate) === path.join(' '));
  if (spec === undefined) throw unknownCommand(path);
  const options = words
    .filter((word) => word.includes(':'))
    .map((word): [string, string] => {
      const colon = word.indexOf(':');
      return [word.slice(0, colon), word.slice(colon + 1)];
    });
  return { spec, options: checkOptions(spec, options) };
}

/** Explains in one sentence why typed words are no command, and what to type instead. */
function unknownCommand(path: readonly string[]): CommandError {
  const typed = path.join(' ');
  const sentence = missingWordHint(typed) ?? optionSyntaxHint(typed) ?? discordOnlyHint(typed) ?? nameHint(typed, path);
  return new CommandError('unknown-command', sentence);
}

function missingWordHint(typed: string): string | null {
  const longer = terminalNames.filter((name) => typed !== '' && name.startsWith(`${typed} `));
  const next = [...new Set(longer.map((name) => name.slice(typed.length + 1).split(' ')[0]))];
  return next.length === 0 ? null : `/${typed} needs one more word: ${next.join(', ')}.`;
}

/** After a whole command, a further word is probably the value of an option. */
function optionSyntaxHint(typed: string): string | null {
  const spec = terminalCommands.find((candidate) => typed.startsWith(`${commandName(candidate)} `));
  if (spec === undefined) return null;
  const name = commandName(spec);
  if (spec.options.length === 0) return `/${name} takes no options; type it alone.`;
  const [word = ''] = typed.slice(name.length + 1).split(' ');
  return `Options are typed name:value, such as ${exampleOption(spec, word)}.`;
}

/** Suggests the option that was probably meant, or any that the command takes. */
function exampleOption(spec: CommandSpec, word: string): string {
  const [, name = '', value = word] = /^(\w+)=(\S+)$/u.exec(word) ?? [];
  const meant =
    spec.options.find((option) => option.name === name) ?? spec.options.find((option) => accepts(option, value));
  if (meant !== undefined && accepts(meant, value)) return `${meant.name}:${value}`;
  const [first] = spec.options;
  return `${first?.name}:${first?.choices?.[0] ?? Math.max(8, first?.min ?? 0)}`;
}

function accepts({ choices, min = 0, max = 0 }: OptionSpec, value: string): boolean {
  if (choices !== undefined) return choices.includes(value);
  return /^\d+$/u.test(value) && Number(value) >= min && Number(value) <= max;
}

function discordOnlyHint(typed: string): string | null {
  const name = discordOnlyNames.find((candidate) => `${typed} `.startsWith(`${candidate} `));
  const isGroup = typed !== '' && discordOnlyNames.some((candidate) => candidate.startsWith(`${typed} `));
  const found = name ?? (isGroup ? typed : undefined);
  return found === undefined ? null : `/${found} works on Discord only; type /help for what works here.`;
}

function nameHint(typed: string, path: readonly string[]): string {
  const isLastWordOf = (name: string) => path.length === 1 && name.split(' ').at(-1) === typed;
  const quit = QUIT_SYNONYMS.includes(typed) ? 'quit' : null;
  const meant = quit ?? closestWord(typed, [...terminalNames, 'quit']) ?? terminalNames.find(isLastWordOf);
  const hint = meant === undefined ? 'type /help for the list.' : `did you mean /${meant}?`;
  return `There is no command /${typed.slice(0, 60)}; ${hint}`;
}

/** Finds the command that a line without its slash was probably meant to be, such as `/quit` for `exit`, or null. */
export function commandWithoutSlash(line: string): string | null {
  const word = line.trim().toLowerCase();
  if (word === 'quit' || QUIT_SYNONYMS.includes(word)) return '/quit';
  return word === 'help' ? '/help' : null;
}

/** Formats `/memory show`: what the next request would send, and why. */
function explainReport(words: Words, sessionId: string, report: MemoryReport): string[] {
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
    return [usesSummary(strategy.value) ? words.report.noSummary : words.report.notSent];
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

/** Draws the context window; each part that is not empty gets at least one cell. */
function bar(parts: MemoryReport['parts']): string {
  const total = Object.values(parts).reduce((sum, part) => sum + part, 0);
  const used = (['persona', 'summary', 'messages', 'answer', 'safety'] as const).map((key) => {
    const cells = parts[key] === 0 ? 0 : Math.max(1, Math.round((parts[key] / total) * BAR_CELLS));
    return GLYPHS[key].repeat(cells);
  });
  return used.join('').slice(0, BAR_CELLS).padEnd(BAR_CELLS, GLYPHS.free);
}

function explainHelp(words: Words): string[] {
  const usage = (spec: CommandSpec) => [`/${spec.path.join(' ')}`, ...spec.options.map(optionUsage)].join(' ');
  return [
    words.help,
    ...terminalCommands.map((spec) => `  ${usage(spec)}\n      ${words.commands[commandName(spec)]}`),
    `  /quit\n      ${words.quit}`,
  ];
}

function optionUsage(option: OptionSpec): string {
  const text = `${option.name}:${rangeOf(option)}`;
  return option.required === true ? text : `[${text}]`;
}

/** Replaces control characters but line breaks and tabs by U+FFFD, so that text cannot steer the terminal. */
export function safeText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach the terminal
  return text.replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');
}
