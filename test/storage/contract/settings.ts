import { describe, expect } from 'vitest';
import { DEFAULT_STRATEGY } from '../../../src/conversation/settings.js';
import type { OpenStore } from '../contract.js';
import { SESSION, withStore } from './fixture.js';

export function settingsContract(open: OpenStore): void {
  const it = withStore(open);

  describe('settings', () => {
    it('come back as they were set, for the scopes that are asked for', async (store) => {
      await store.saveSetting(SESSION.id, 'strategy', DEFAULT_STRATEGY, 10);
      await store.saveSetting('server:900', 'vision', false, 20);
      await store.saveSetting('server:900', 'temperature', 0, 30);
      await store.saveSetting('server:901', 'vision', true, 40);
      const found = await store.loadSettings([SESSION.id, 'server:900', 'server:999']);
      expect(new Set(found)).toEqual(
        new Set([
          { scopeId: SESSION.id, key: 'strategy', value: DEFAULT_STRATEGY, updatedAt: 10 },
          { scopeId: 'server:900', key: 'vision', value: false, updatedAt: 20 },
          { scopeId: 'server:900', key: 'temperature', value: 0, updatedAt: 30 },
        ]),
      );
      expect(await store.loadSettings([])).toEqual([]);
    });

    it('are replaced by a later value with its time', async (store) => {
      await store.saveSetting('server:900', 'persona', 'old "quoted" 你好', 1);
      await store.saveSetting('server:900', 'persona', 'new', 2);
      const expected = [{ scopeId: 'server:900', key: 'persona', value: 'new', updatedAt: 2 }];
      expect(await store.loadSettings(['server:900'])).toEqual(expected);
    });

    it('are removed by setting nothing, in that scope alone', async (store) => {
      await store.saveSetting('server:900', 'listen', 'all', 1);
      await store.saveSetting(SESSION.id, 'listen', 'addressed', 1);
      await store.saveSetting(SESSION.id, 'listen', undefined, 2);
      await store.saveSetting(SESSION.id, 'vision', undefined, 2);
      expect(await store.loadSettings([SESSION.id, 'server:900'])).toMatchObject([{ scopeId: 'server:900' }]);
    });

    it('outlast a forget', async (store) => {
      await store.saveSetting(SESSION.id, 'language', 'zh-TW', 1);
      await store.forgetSession(SESSION.id);
      expect(await store.loadSettings([SESSION.id])).toHaveLength(1);
    });
  });
}
