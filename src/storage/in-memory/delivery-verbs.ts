import type { Deliveries } from '../../conversation/deliveries.js';
import { triggerIdOf } from '../../conversation/turn.js';
import { NOTHING_ERASED } from '../erased.js';
import { resumedTurn } from '../turn.js';
import type { Act } from './act.js';
import { drawerOf } from './drawer.js';
import { markDirty } from './marks.js';
import { type Shelf, type Shelves, shelfOf, takeAway } from './shelves.js';
import { openTurn } from './talk.js';

/** The verbs about how answers were delivered. */
export function deliveryVerbs(shelves: Shelves, act: Act): Deliveries {
  const drawer = drawerOf(shelves);
  const list = (sessionId: string, answerTo: string) =>
    drawer.deliveries
      .filter((delivery) => delivery.sessionId === sessionId && delivery.answerTo === answerTo)
      .sort((a, b) => a.chunk - b.chunk);
  return {
    planDelivery: (delivery) =>
      act(() => {
        const known = list(delivery.sessionId, delivery.answerTo).find(({ chunk }) => chunk === delivery.chunk);
        if (known === undefined) drawer.deliveries.push({ ...delivery });
        return known ?? delivery;
      }),
    confirmDelivery: (sessionId, answerTo, chunk, messageId) =>
      act(() => {
        for (const delivery of list(sessionId, answerTo)) if (delivery.chunk === chunk) delivery.messageId = messageId;
      }),
    dropDeliveries: (sessionId, answerTo, fromChunk) =>
      act(() => {
        const rest = list(sessionId, answerTo).filter(({ chunk }) => chunk >= fromChunk);
        drawer.deliveries = drawer.deliveries.filter((delivery) => !rest.includes(delivery));
      }),
    deliveriesOf: (sessionId, answerTo) => act(() => list(sessionId, answerTo)),
    answeredBy: (sessionId, messageId) =>
      act(
        () =>
          drawer.deliveries.find((delivery) => delivery.sessionId === sessionId && delivery.messageId === messageId)
            ?.answerTo ?? null,
      ),
    eraseAnswer: (sessionId, answerTo) =>
      act(() => {
        const shelf = shelfOf(shelves, sessionId);
        const gone = takeAway(shelf, (row) => row.role === 'assistant' && row.platformId === answerTo);
        if (gone.length === 0) return NOTHING_ERASED;
        shelf.revision += 1;
        return { ...NOTHING_ERASED, answers: gone.length, ...markDirty(shelves, shelf, gone) };
      }),
    unfinishedAnswer: (sessionId) =>
      act(() => {
        const turn = openTurn(shelves, sessionId);
        if (turn === null) return null;
        const answer = pendingAnswer(shelfOf(shelves, sessionId));
        const resumed = resumedTurn(turn, answer);
        return { turn: resumed, answer, deliveries: list(sessionId, triggerIdOf(resumed)) };
      }),
  };
}

function pendingAnswer({ messages }: Shelf) {
  return messages.find(({ role, state }) => role === 'assistant' && state === 'pending') ?? null;
}
