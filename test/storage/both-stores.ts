import { onTestFinished } from 'vitest';
import type { Store } from '../../src/conversation/store.js';
import { openStore } from '../../src/storage/open.js';
import { createModelStore } from '../support/model-store.js';
import { SESSION } from './contract/fixture.js';

/** Both stores by their names, for `describe.each`; each opens empty with `SESSION` in it, and is closed when the test ends. */
export const BOTH_STORES: [name: string, aStore: () => Promise<Store>][] = [
  ['the SQLite store', () => begun(openStore(':memory:'))],
  ['the model store', () => begun(Promise.resolve(createModelStore()))],
];

async function begun(opening: Promise<Store>): Promise<Store> {
  const store = await opening;
  onTestFinished(() => store.close());
  await store.openSession(SESSION);
  return store;
}
