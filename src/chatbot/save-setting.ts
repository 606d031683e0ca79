import { settingScopes } from '../conversation/session.js';
import type { SettingKey } from '../conversation/settings.js';
import type { Parts } from './parts.js';

/**
 * Sets one value of a scope, or removes it there (`undefined`). A strategy that comes into force because a nearer one is
 * removed counts as set now: what the nearer one still reached is not out of reach for the retention yet.
 */
export async function saveSetting(parts: Parts, scopeId: string, key: SettingKey, value: unknown): Promise<void> {
  const { store, clock } = parts;
  const at = clock();
  if (key === 'strategy' && value === undefined) await touchHeir(parts, scopeId, at);
  await store.saveSetting(scopeId, key, value, at);
}

async function touchHeir({ store }: Parts, scopeId: string, at: number): Promise<void> {
  const session = await store.findSession(scopeId);
  if (session === null) return;
  const scopes = settingScopes(session).filter((scope) => scope !== scopeId);
  const stored = await store.loadSettings(scopes);
  const strategies = stored.filter(({ key }) => key === 'strategy');
  // Nearest first, as `settingScopes` lists them.
  strategies.sort((a, b) => scopes.indexOf(a.scopeId) - scopes.indexOf(b.scopeId));
  const [heir] = strategies;
  if (heir !== undefined) await store.saveSetting(heir.scopeId, 'strategy', heir.value, at);
}
