import type { SettingKey, StoredSetting } from '../../conversation/settings.js';
import type { Shelves } from './shelves.js';

/** Settings of the given scopes. */
export function loadSettings({ settings }: Shelves, scopeIds: readonly string[]): StoredSetting[] {
  return [...settings.values()].filter(({ scopeId }) => scopeIds.includes(scopeId));
}

/** Sets one value of a scope, or removes it when it is undefined. */
export function saveSetting(
  { settings }: Shelves,
  scopeId: string,
  key: SettingKey,
  value: unknown,
  updatedAt: number,
) {
  const name = JSON.stringify([scopeId, key]);
  if (value === undefined) settings.delete(name);
  else settings.set(name, { scopeId, key, value: structuredClone(value), updatedAt });
}
