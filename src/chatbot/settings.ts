import { type Session, settingScopes } from '../conversation/session.js';
import {
  DEFAULT_STRATEGY,
  type ResolvedSettings,
  type SettingKey,
  type SettingOrigin,
  type Settings,
  type StoredSetting,
  settingsSchema,
} from '../conversation/settings.js';
import type { ConversationStore } from '../conversation/store.js';
import type { Dependencies, Options } from './dependencies.js';

/** The persona of a session that has set none. */
export const DEFAULT_PERSONA =
  'You are Keepsake, a friendly and concise companion in a chat. Several people may speak: each of their lines names ' +
  'its speaker, as in "Ada: hello". Answer the last message directly, without a name in front of your answer.';

/** Settings in force when nothing was set anywhere. */
function defaultSettings(options: Options): Settings {
  return {
    strategy: DEFAULT_STRATEGY,
    persona: DEFAULT_PERSONA,
    model: options.defaultModel,
    temperature: options.temperature ?? 1,
    listen: 'addressed',
    respond: 'addressed',
    vision: false,
    language: 'auto',
    budget: { server: null, person: null },
  };
}

/** Picks, for each setting, the value of the nearest scope that holds one; a stored value that is no longer valid is skipped. */
function resolveSettings(session: Session, stored: readonly StoredSetting[], defaults: Settings): ResolvedSettings {
  const scopes = settingScopes(session);
  const resolve = (key: SettingKey) => {
    for (const scopeId of scopes) {
      const found = stored.find((setting) => setting.scopeId === scopeId && setting.key === key);
      if (found === undefined) continue;
      const value = settingsSchema.shape[key].safeParse(found.value);
      if (value.success) return { value: value.data, origin: originOf(scopeId, session), since: found.updatedAt };
    }
    return { value: defaults[key], origin: 'default', since: 0 };
  };
  const keys = Object.keys(settingsSchema.shape) as SettingKey[];
  return Object.fromEntries(keys.map((key) => [key, resolve(key)])) as unknown as ResolvedSettings;
}

/** The settings in force for a session now; a model that the owner allows no longer is not among them. */
export async function settingsFor(
  store: ConversationStore,
  session: Session,
  options: Options,
): Promise<ResolvedSettings> {
  const stored = await store.loadSettings(settingScopes(session));
  const allowed = stored.filter((setting) => setting.key !== 'model' || mayAnswer(options, setting.value));
  return resolveSettings(session, allowed, defaultSettings(options));
}

/** Settings that a caller chose for itself, in place of what is stored for the session. */
export type SettingsOverride = Partial<Pick<Settings, 'strategy' | 'model'>>;

/** Puts a caller's own choices in the place of the settings in force. */
export function overrideSettings(settings: ResolvedSettings, override: SettingsOverride): ResolvedSettings {
  const chosen = Object.entries(override).map(([key, value]) => [key, { value, origin: 'here', since: 0 }]);
  return { ...settings, ...Object.fromEntries(chosen) };
}

/** Whether the owner allows a model now; when it was set, another list may have held. */
function mayAnswer({ allowedModels, defaultModel }: Options, model: unknown): boolean {
  return allowedModels === null || model === defaultModel || allowedModels.some((allowed) => allowed === model);
}

function originOf(scopeId: string, session: Session): SettingOrigin {
  if (scopeId === session.id) return 'here';
  return scopeId === session.parentId ? 'channel' : 'server';
}

/**
 * Sets one value of a scope, or removes it there (`undefined`). A strategy that comes into force because a nearer one is
 * removed counts as set now: what the nearer one still reached is not out of reach for the retention yet.
 */
export async function saveSetting(deps: Dependencies, scopeId: string, key: SettingKey, value: unknown): Promise<void> {
  const { store, clock } = deps;
  const at = clock();
  if (key === 'strategy' && value === undefined) await touchNextStrategy(deps, scopeId, at);
  await store.saveSetting(scopeId, key, value, at);
}

async function touchNextStrategy({ store }: Dependencies, scopeId: string, at: number): Promise<void> {
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
