import { type Session, settingScopes } from '../conversation/session.js';
import {
  DEFAULT_STRATEGY,
  type Resolved,
  type ResolvedSettings,
  type SettingKey,
  type SettingOrigin,
  type Settings,
  type StoredSetting,
  type Strategy,
  settingsSchema,
} from '../conversation/settings.js';
import type { ConversationStore } from '../conversation/store.js';
import type { Dependencies, Options } from './dependencies.js';

/** The persona of a session that has set none. */
export const DEFAULT_PERSONA =
  'You are Keepsake, a friendly and concise companion in a chat. Several people may speak: each of their lines names ' +
  'its speaker, as in "Ada: hello". Answer the last message directly, without a name in front of your answer.';

type SettingsSource = Pick<ConversationStore, 'loadSettings'>;

/** Resolves the settings in force for a session; a stored model that the owner no longer allows is skipped. */
export async function settingsFor(
  store: SettingsSource,
  session: Session,
  options: Options,
): Promise<ResolvedSettings> {
  const stored = await store.loadSettings(settingScopes(session));
  const allowed = stored.filter((setting) => setting.key !== 'model' || isModelAllowed(options, setting.value));
  const defaults = defaultSettings(options);
  const keys = Object.keys(settingsSchema.shape) as SettingKey[];
  const entries = keys.map((key) => [key, resolve(key, session, allowed, defaults[key])]);
  return Object.fromEntries(entries) as ResolvedSettings;
}

/** Resolves the strategy in force for a session. */
export async function strategyFor(store: SettingsSource, session: Session): Promise<Resolved<Strategy>> {
  const stored = await store.loadSettings(settingScopes(session));
  return resolve('strategy', session, stored, DEFAULT_STRATEGY);
}

/** Takes the value of the nearest scope that holds one; a stored value that is no longer valid is skipped. */
function resolve<K extends SettingKey>(
  key: K,
  session: Session,
  stored: readonly StoredSetting[],
  fallback: Settings[K],
): Resolved<Settings[K]> {
  for (const scopeId of settingScopes(session)) {
    const setting = stored.find((candidate) => candidate.scopeId === scopeId && candidate.key === key);
    if (setting === undefined) continue;
    const parsed = settingsSchema.shape[key].safeParse(setting.value);
    if (!parsed.success) continue;
    return { value: parsed.data as Settings[K], origin: originOf(scopeId, session), since: setting.updatedAt };
  }
  return { value: fallback, origin: 'default', since: 0 };
}

function originOf(scopeId: string, session: Session): SettingOrigin {
  if (scopeId === session.id) return 'here';
  return scopeId === session.parentId ? 'channel' : 'server';
}

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

/** The list of allowed models may have changed since a model was set. */
function isModelAllowed({ allowedModels, defaultModel }: Options, model: unknown): boolean {
  return allowedModels === null || model === defaultModel || allowedModels.some((allowed) => allowed === model);
}

/** Settings that a caller chooses for itself, in place of those in force for the session. */
export type SettingsOverride = Partial<Pick<Settings, 'strategy' | 'model'>>;

/** Replaces settings in force by a caller's own. */
export function overrideSettings(settings: ResolvedSettings, override: SettingsOverride): ResolvedSettings {
  const overridden = Object.entries(override).map(([key, value]) => [key, { value, origin: 'here', since: 0 }]);
  return { ...settings, ...Object.fromEntries(overridden) };
}

/**
 * Sets one value of a scope, or removes it there (`undefined`). A strategy that comes into force because a nearer one is
 * removed counts as set now, so that retention does not yet delete what only the nearer one reached.
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
  const [next] = strategies;
  if (next !== undefined) await store.saveSetting(next.scopeId, 'strategy', next.value, at);
}
