import type { Chatbot } from '../../chatbot/chatbot.js';
import type { Words } from '../../words/en.js';
import { answer } from '../answers.js';
import { inlineCode } from '../plain-text.js';
import { chooseScope } from '../rights.js';
import type { CommandCall } from './command.js';

type StrategyArgument = Parameters<Chatbot['setStrategy']>[2];
type Change = Awaited<ReturnType<Chatbot['setStrategy']>>;

/** `/memory strategy …`: changes how a scope is remembered, and tells the channel what that does here. */
export async function changeStrategy(call: CommandCall): Promise<void> {
  const { door, interaction, place, words, name } = call;
  const { scope, ...given } = call.options;
  const { scopeId } = chooseScope(call, scope);
  const strategy = name.slice('memory strategy '.length) as StrategyArgument;
  const change = await door.chatbot.setStrategy(place.session, scopeId, strategy, given);
  const lines = change.hidden ? explainHidden(words, change) : explainChange(words, change);
  await answer(interaction, [...lines, ...(change.carriesNothing ? [words.carriesNothing] : [])].join('\n'));
}

/** Of a change for the server that a nearer setting hides here. */
function explainHidden(words: Words, { savedText, afterText, origin }: Change): string[] {
  const { strategyHidden: say, settings } = words;
  return [
    savedText === null ? settings.removed.server : say.savedForServer(inlineCode(savedText)),
    say[origin === 'channel' ? 'channel' : 'here'](inlineCode(afterText)),
  ];
}

function explainChange(words: Words, { before, after, beforeText, afterText, origin }: Change): string[] {
  return [
    words.strategyNow(inlineCode(afterText), words.origins[origin]),
    words.strategyBefore(inlineCode(beforeText)),
    words.strategyChanged(words.load(before.messages, before.tokens), words.load(after.messages, after.tokens)),
  ];
}
