import { type Session, serverScope, settingScopes } from '../conversation/session.js';
import type { SettingOrigin, Strategy, StrategyName } from '../conversation/settings.js';
import { describeStrategy, parseStrategy } from '../memory/strategy-options.js';
import type { OptionValues } from './commands.js';
import type { Dependencies } from './dependencies.js';
import { measurePromptLoad, type PromptLoad } from './report.js';
import { saveSetting, settingsFor } from './settings.js';

/** What a change of strategy does to the next request of this session. */
export type StrategyChange = {
  before: PromptLoad;
  after: PromptLoad;
  beforeText: string;
  afterText: string;
  /** Where the strategy now in force for this session was set. */
  origin: SettingOrigin;
  /** What was saved for the scope, or null when its setting was removed. */
  savedText: string | null;
  /** Whether a nearer scope's own setting still decides here. */
  hidden: boolean;
  /** Whether the strategy now in force sends nothing but the question. */
  carriesNothing: boolean;
};

/**
 * Sets a scope's strategy, or removes it there (`inherit`), and compares the session's next request before and after.
 * @throws {CommandError} when the options do not fit; the old strategy stands.
 */
export async function changeStrategy(
  deps: Dependencies,
  session: Session,
  scopeId: string,
  name: StrategyName | 'inherit',
  given: OptionValues,
): Promise<StrategyChange> {
  const { store, options } = deps;
  const next = name === 'inherit' ? undefined : parseStrategy(name, given);
  const look = async () => ({
    load: await measurePromptLoad(deps, session),
    strategy: (await settingsFor(store, session, options)).strategy,
  });
  const before = await look();
  await store.openSession(session);
  await saveSetting(deps, scopeId, 'strategy', next);
  const after = await look();
  return {
    before: before.load,
    after: after.load,
    beforeText: describeStrategy(before.strategy.value),
    afterText: describeStrategy(after.strategy.value),
    origin: after.strategy.origin,
    savedText: next === undefined ? null : describeStrategy(next),
    hidden: isNearer(session, after.strategy.origin, scopeId),
    carriesNothing: carriesNothing(after.strategy.value),
  };
}

/** Whether what decides for a session was set in a nearer scope than the given one. */
function isNearer(session: Session, origin: SettingOrigin, scopeId: string): boolean {
  if (origin === 'default') return false;
  const { id, parentId, serverId } = session;
  const deciding = { here: id, channel: parentId, server: serverId === null ? null : serverScope(serverId) }[origin];
  const scopes: (string | null)[] = settingScopes(session);
  return scopes.indexOf(deciding) < scopes.indexOf(scopeId);
}

/** A single message cannot be an answer without its question, so only the newest question would be left of it. */
function carriesNothing(strategy: Strategy): boolean {
  return strategy.name === 'window' && strategy.k <= (strategy.unit === 'messages' ? 1 : 0);
}
