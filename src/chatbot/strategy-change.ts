import type { Session } from '../conversation/session.js';
import type { SettingOrigin, StrategyName } from '../conversation/settings.js';
import { describeStrategy, parseStrategy } from '../memory/strategy-input.js';
import type { OptionValues } from './options.js';
import type { Parts } from './parts.js';
import { type Load, loadOf } from './report.js';
import { settingsFor } from './settings.js';
import type { Windows } from './windows.js';

/** What a change of strategy does to the next request of this session. */
export type StrategyChange = {
  before: Load;
  after: Load;
  beforeText: string;
  afterText: string;
  /** Where the strategy now in force for this session was set. */
  origin: SettingOrigin;
};

/**
 * Sets a scope's strategy, or removes it there (`inherit`), and compares the session's next request before and after.
 * @throws {CommandError} when the options do not fit; the old strategy stands.
 */
export async function changeStrategy(
  parts: Parts,
  windows: Windows,
  session: Session,
  scopeId: string,
  name: StrategyName | 'inherit',
  given: OptionValues,
): Promise<StrategyChange> {
  const { store, options, clock } = parts;
  const next = name === 'inherit' ? undefined : parseStrategy(name, given);
  const look = async () => ({
    load: await loadOf(parts, windows, session),
    strategy: (await settingsFor(store, session, options)).strategy,
  });
  const before = await look();
  await store.openSession(session);
  await store.saveSetting(scopeId, 'strategy', next, clock());
  const after = await look();
  return {
    before: before.load,
    after: after.load,
    beforeText: describeStrategy(before.strategy.value),
    afterText: describeStrategy(after.strategy.value),
    origin: after.strategy.origin,
  };
}
