import type { Session } from '../conversation/session.js';
import { type StoredSetting, type Strategy, settingsSchema } from '../conversation/settings.js';
import type { Store } from '../conversation/whole-store.js';

/** What a call set for itself alone. */
export type CallScope = { strategy: Strategy | null; model: string | null };

/** A store that knows the settings of calls as a scope beside the stored ones, and sessions that belong to that scope. */
export type CallScopes = { store: Store; sessionFor: (session: Session, call: CallScope) => Session };

/**
 * Lets a fold go by the call that made it due without writing the call's settings into the store, where they would
 * change what the session goes by elsewhere. Memory grows with the different settings used, not with calls or sessions.
 */
export function createCallScopes(store: Store): CallScopes {
  const scopes = new Map<string, StoredSetting[]>();

  const loadSettings = async (scopeIds: readonly string[]): Promise<StoredSetting[]> => {
    const [sessionId = ''] = scopeIds;
    const own = scopeIds.flatMap((scopeId) => scopes.get(scopeId) ?? []);
    const stored = await store.loadSettings(scopeIds.filter((scopeId) => !scopes.has(scopeId)));
    const rest = stored.filter(({ key }) => own.every((setting) => setting.key !== key));
    return [...own.map((setting) => ({ ...setting, scopeId: sessionId })), ...rest];
  };

  return {
    store: new Proxy(store, {
      get(target, verb) {
        if (verb === 'loadSettings') return loadSettings;
        const member: unknown = Reflect.get(target, verb);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    }),
    sessionFor(session, { strategy, model }) {
      const scopeId = `call:${JSON.stringify([strategy, model])}`;
      scopes.set(scopeId, settingsOf({ strategy, model }));
      return { ...session, parentId: scopeId };
    },
  };
}

function settingsOf(call: CallScope): StoredSetting[] {
  const given = Object.entries(call).filter(([, value]) => value !== null);
  return given.map(([key, value]) => ({ scopeId: '', key: settingsSchema.keyof().parse(key), value, updatedAt: 0 }));
}
