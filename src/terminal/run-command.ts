import type { Chatbot } from '../chatbot/chatbot.js';
import { commandName } from '../chatbot/commands.js';
import type { ForgetOrder } from '../chatbot/forget.js';
import type { OptionValues } from '../chatbot/options.js';
import { type Session, serverScope } from '../conversation/session.js';
import type { Words } from '../words/en.js';
import { parseCommand } from './command-line.js';
import { explainHelp, explainReport } from './explain.js';

/** The person at the terminal; everybody who sits there is the same one. */
export const TERMINAL_AUTHOR = 'terminal';

/** Carries out a typed command; resolves with the lines to show. */
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
      const strategy = name.slice('memory strategy '.length) as Parameters<Chatbot['setStrategy']>[2];
      return setStrategy(chatbot, words, session, strategy, options);
    }
  }
}

async function setStrategy(
  chatbot: Chatbot,
  words: Words,
  session: Session,
  strategy: Parameters<Chatbot['setStrategy']>[2],
  { scope, ...given }: OptionValues,
): Promise<string[]> {
  const scopeId = scope === 'channel' ? session.id : serverScope(session.serverId ?? 'terminal');
  const change = await chatbot.setStrategy(session, scopeId, strategy, given);
  const load = ({ messages, tokens }: typeof change.before) => words.load(messages, tokens);
  const { strategyHidden: say } = words;
  const saved = change.savedText === null ? say.removedForAll : say.savedForAll(change.savedText);
  const lines = change.hidden
    ? [saved, say.session(change.afterText)]
    : [
        words.strategyNow(change.afterText, words.terminalOrigins[change.origin]),
        words.strategyChanged(load(change.before), load(change.after)),
      ];
  return change.carriesNothing ? [...lines, words.carriesNothing] : lines;
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
