import { StorageError } from '../conversation/errors.js';
import type { Store } from '../conversation/whole-store.js';
import type { Act } from './in-memory/act.js';
import { changeVerbs } from './in-memory/change-verbs.js';
import { deliveryVerbs } from './in-memory/delivery-verbs.js';
import { importSession } from './in-memory/import.js';
import { peopleVerbs } from './in-memory/people-verbs.js';
import { placeVerbs } from './in-memory/place-verbs.js';
import { emptyShelves } from './in-memory/shelves.js';
import { talkVerbs } from './in-memory/talk-verbs.js';
import { usageVerbs } from './in-memory/usage-verbs.js';

/** A conversation store that lasts as long as its process; for tests, and for those who want no file. */
export function createInMemoryStore(): Store {
  const shelves = emptyShelves();
  let closed = false;
  const act: Act = async (work) => {
    if (closed) throw new StorageError('storage', 'The store is closed; open it again.');
    return structuredClone(work());
  };
  return {
    ...talkVerbs(shelves, act),
    ...changeVerbs(shelves, act),
    ...deliveryVerbs(shelves, act),
    ...peopleVerbs(shelves, act),
    ...placeVerbs(shelves, act),
    ...usageVerbs(act),
    importSession: (sessionId, messages, summaries, heardUntil) =>
      act(() => importSession(shelves, sessionId, messages, summaries, heardUntil)),
    async close() {
      closed = true;
    },
  };
}
