import { type Session, serverScope, settingScopes } from '../conversation/session.js';
import type { SettingOrigin, Strategy, StrategyName } from '../conversation/settings.js';
import { describeStrategy, parseStrategy } from '../memory/strategy-options.js';
import type { OptionValues } from './commands.js';
import type { Dependencies } from './dependencies.js';
import { measurePromptLoad, type PromptLoad } from './report.js';
import { saveSetting, strategyFor } from './settings.js';

/** The effect of a change of strategy on the next request of a session. */
export type StrategyChangeReport = {
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
  sendsNoHistory: boolean;
};

export async function changeStrategy(
  deps: Dependencies,
  session: Session,
  scopeId: string,
  name: StrategyName | 'inherit',
  options: OptionValues,
): Promise<StrategyChangeReport> {
  const { store } = deps;
  const next = name === 'inherit' ? undefined : parseStrategy(name, options);
  const snapshot = async () => ({
    load: await measurePromptLoad(deps, session),
    strategy: await strategyFor(store, session),
  });
  const before = await snapshot();
  await store.openSession(session);
  await saveSetting(deps, scopeId, 'strategy', next);
  const after = await snapshot();
  return {
    before: before.load,
    after: after.load,
    beforeText: describeStrategy(before.strategy.value),
    afterText: describeStrategy(after.strategy.value),
    origin: after.strategy.origin,
    savedText: next === undefined ? null : describeStrategy(next),
    hidden: isNearerScope(session, after.strategy.origin, scopeId),
    sendsNoHistory: sendsNoHistory(after.strategy.value),
  };
}

/** Tells whether the scope that a setting in force comes from is nearer to the session than another scope. */
function isNearerScope(session: Session, origin: SettingOrigin, scopeId: string): boolean {
  if (origin === 'default') return false;
  const { id, parentId, serverId } = session;
  const originScope = { here: id, channel: parentId, server: serverId === null ? null : serverScope(serverId) }[origin];
  const scopes: (string | null)[] = settingScopes(session);
  return scopes.indexOf(originScope) < scopes.indexOf(scopeId);
}

/** No answer is sent without its question, so a window of one message leaves nothing but the new question. */
function sendsNoHistory(strategy: Strategy): boolean {
  return strategy.name === 'window' && strategy.k <= (strategy.unit === 'messages' ? 1 : 0);
}
