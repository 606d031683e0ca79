import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/conversation/store.js';
import { openForDiagnosis } from '../../src/storage/read-only.js';
import { SESSION } from '../storage/contract/fixture.js';
import { aDatabase, addMigration, aStore, someMigrations } from '../storage/files.js';
import { aMessage, anAnswer, aQuestion, aSummary, openTurn, someTalk } from '../support/conversation.js';
import { aFolder } from '../support/folder.js';
import { createModelStore } from '../support/model-store.js';
import { type PlayStep, play, playHere } from './storage-process.js';

const erased = someTalk({ platformId: '1' });

/** A life with every kind of write in it; each step's name tells which fault points it passes. */
const LIFE: PlayStep[] = [
  ['append', erased],
  ['append', aQuestion({ platformId: '2' })],
  ['unfinishedAnswer', SESSION.id],
  ['storeAnswer', 'TURN', anAnswer({ counts: [{ seq: 2, tokens: 4, encoding: 'o200k_base' }] })],
  ['settleTurn', 'TURN'],
  ['appendAll', [aMessage({ platformId: '3', authorId: 'eve' }), aMessage({ platformId: '4' })]],
  ['saveSummary', aSummary(3), { epoch: 0, revision: 0, previousId: null, dropCovered: false }],
  ['erase', SESSION.id, ['1'], 5],
  ['saveSummary', aSummary(3), { epoch: 0, revision: 1, previousId: null, dropCovered: true }],
  ['sweep', SESSION.id, { coveredUntil: 9_999, unreachedBelow: 5 }, 10],
  ['forgetAuthor', SESSION.id, 'eve'],
  ['append', aMessage({ platformId: '5' })],
  ['forgetSession', SESSION.id],
];

const POINTS: readonly [order: string, done: number][] = [
  ['append:before-commit kill 1', 0],
  ['append:committed kill 1', 1],
  ['append:before-commit kill 3', 5],
  ['append:committed kill 3', 6],
  ['answer:before-commit kill 1', 3],
  ['answer:committed kill 1', 4],
  ['settle:before-commit kill 1', 4],
  ['summary:before-commit kill 1', 6],
  ['summary:committed kill 1', 7],
  ['erase:before-commit kill 1', 7],
  ['erase:committed kill 1', 8],
  ['summary:before-commit kill 2', 8],
  ['summary:committed kill 2', 9],
  ['sweep:before-commit kill 1', 9],
  ['forget:before-commit kill 1', 10],
  ['forget:committed kill 1', 11],
  ['forget:before-commit kill 2', 12],
];

async function everything(store: Store): Promise<unknown> {
  return [
    await store.loadHistory(SESSION.id, { summary: false }),
    await store.sessionFacts(SESSION.id),
    (await openTurn(store, SESSION.id))?.questions,
    await store.append(erased).then((kept) => kept === null),
  ];
}

describe('a process that is killed', () => {
  it.each(POINTS)('at "%s" keeps exactly the first %i steps', async (fault, done) => {
    const path = await aDatabase();
    const { signal, said, errors } = await play({ path, fault, steps: LIFE }).ended;
    expect([signal, errors]).toEqual(['SIGKILL', '']);
    expect(said.filter(([word]) => word === 'done').length).toBeGreaterThanOrEqual(done - 1);
    const view = openForDiagnosis(path);
    expect(view.integrity()).toEqual([]);
    view.close();
    const model = createModelStore();
    await playHere(model, LIFE.slice(0, done));
    expect(await everything(await aStore(path))).toEqual(await everything(model));
  });

  it('finishes its life when nothing kills it, as the model does', async () => {
    const path = await aDatabase();
    const { said, errors } = await play({ path, steps: LIFE }).ended;
    expect([errors, said.at(-1)?.[0]]).toEqual(['', 'closed']);
    const model = createModelStore();
    await playHere(model, LIFE);
    expect(await everything(await aStore(path))).toEqual(await everything(model));
  });

  it.each(['migrate:before', 'migrate:copied'])(
    'at "%s" of its first start starts well the next time',
    async (point) => {
      const path = join(aFolder(), 'keepsake.db');
      expect((await play({ path, fault: `${point} kill` }).ended).signal).toBe('SIGKILL');
      expect(existsSync(path)).toBe(false);
      const { said } = await play({ path, steps: [['append', aMessage()]] }).ended;
      expect(said.map(([word]) => word)).toEqual(['opened', 'done', 'closed']);
    },
  );

  it.each(['migrate:before', 'migrate:copied'])('at "%s" of an update loses nothing', async (point) => {
    const path = await aDatabase();
    await play({ path, steps: [['append', erased]] }).ended;
    const migrationsFolder = someMigrations();
    addMigration(migrationsFolder, '9000_more', ['CREATE TABLE more (id integer)']);
    const options = { migrationsFolder };
    expect((await play({ path, options, fault: `${point} kill` }).ended).signal).toBe('SIGKILL');
    expect((await (await aStore(path, options)).sessionFacts(SESSION.id)).messages).toBe(1);
  });
});
