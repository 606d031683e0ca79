import { and, eq, sql } from 'drizzle-orm';
import type { SettingKey, StoredSetting } from '../../conversation/settings.js';
import type { Database } from './database.js';
import { isAmong, listed } from './lists.js';
import { settings } from './schema.js';

/** Prepares what concerns settings. */
export function prepareSettings(db: Database) {
  const load = db
    .select()
    .from(settings)
    .where(isAmong(settings.scopeId, sql.placeholder('scopeIds')))
    .prepare();
  return {
    load: (scopeIds: readonly string[]): StoredSetting[] => load.all({ scopeIds: listed(scopeIds) }),
    save(scopeId: string, key: SettingKey, value: unknown, updatedAt: number): void {
      if (value === undefined) {
        db.delete(settings)
          .where(and(eq(settings.scopeId, scopeId), eq(settings.key, key)))
          .run();
        return;
      }
      const target = [settings.scopeId, settings.key];
      db.insert(settings)
        .values({ scopeId, key, value, updatedAt })
        .onConflictDoUpdate({ target, set: { value, updatedAt } })
        .run();
    },
  };
}
