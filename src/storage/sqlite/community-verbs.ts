import type { Archives } from '../../conversation/archive.js';
import type { Deliveries } from '../../conversation/deliveries.js';
import type { People, Places } from '../../conversation/people.js';
import { triggerIdOf } from '../../conversation/turn.js';
import type { Ledger } from '../../conversation/usage.js';
import { isWithin } from '../limits.js';
import { resumedTurn } from '../turn.js';
import { forgetSession } from './forget.js';
import { importSession } from './import.js';
import type { Parts } from './parts.js';
import type { Add, Read } from './verbs.js';

/** The verbs about how answers were delivered. */
export function deliveryVerbs({ deliveries, turns }: Parts, read: Read, add: Add): Deliveries {
  return {
    planDelivery: (delivery) => add({ name: 'plan', run: () => deliveries.plan(delivery) }),
    confirmDelivery: (sessionId, answerTo, chunk, messageId) =>
      add({ name: 'confirm', run: () => deliveries.confirm(sessionId, answerTo, chunk, messageId) }),
    dropDeliveries: (sessionId, answerTo, fromChunk) =>
      add({ name: 'unplan', run: () => deliveries.dropFrom(sessionId, answerTo, fromChunk) }),
    deliveriesOf: (sessionId, answerTo) => read(() => deliveries.list(sessionId, answerTo)),
    answeredBy: (sessionId, messageId) => read(() => deliveries.answeredBy(sessionId, messageId)),
    eraseAnswer: (sessionId, answerTo) =>
      add({ name: 'erase', erases: true, run: () => deliveries.eraseAnswer(sessionId, answerTo) }),
    unfinishedAnswer: (sessionId) =>
      read(() => {
        const turn = turns.open(sessionId);
        if (turn === null) return null;
        const answer = deliveries.pendingAnswer(sessionId);
        const resumed = resumedTurn(turn, answer);
        return {
          turn: resumed,
          answer,
          deliveries: deliveries.list(sessionId, triggerIdOf(resumed)),
        };
      }),
  };
}

/** The verb that takes in a whole conversation. */
export function archiveVerbs(parts: Parts, add: Add): Archives {
  return {
    importSession: (sessionId, messages, summaries, heardUntil) =>
      add({ name: 'import', run: () => importSession(parts, sessionId, messages, summaries, heardUntil) }),
  };
}

/** The verbs about people. */
export function peopleVerbs({ people }: Parts, read: Read, add: Add): People {
  return {
    setOptOut: (scopeId, authorId, optedOut, at) =>
      add({ name: 'opt-out', run: () => people.setOptOut(scopeId, authorId, optedOut, at) }),
    optOut: (scopeId, authorId) => read(() => people.optOut(scopeId, authorId)),
    markTold: (scopeId, authorId) => add({ name: 'opt-out', run: () => people.markTold(scopeId, authorId) }),
    sessionsOfAuthor: (scopeId, authorId) => read(() => people.sessionsOfAuthor(scopeId, authorId)),
    findMessage: (sessionId, platformId) => read(() => people.findMessage(sessionId, platformId)),
    messagesOfAuthor: (sessionId, authorId, afterSeq, limit) =>
      read(() => people.messagesOfAuthor(sessionId, authorId, afterSeq, limit)),
  };
}

/** The verbs about places and the program itself. */
export function placeVerbs(parts: Parts, read: Read, add: Add): Places {
  const { places, heard } = parts;
  return {
    markAddressed: (sessionId) => add({ name: 'session', run: () => places.markAddressed(sessionId) }),
    wasAddressed: (sessionId) => read(() => places.wasAddressed(sessionId)),
    unheardFrom: (sessionId) => read(() => heard.unheardFrom(sessionId)),
    platformIdsSince: (sessionId, fromAt, limit) => read(() => places.platformIdsSince(sessionId, fromAt, limit)),
    servers: () => read(() => places.servers()),
    sessionsOfServer: (serverId) => read(() => places.sessionsOfServer(serverId)),
    childrenOf: (sessionId) => read(() => places.childrenOf(sessionId)),
    removeSession: (sessionId) =>
      add({
        name: 'forget',
        erases: true,
        run: () => {
          forgetSession(parts, sessionId);
          places.strip(sessionId);
        },
      }),
    removeServer: (serverId) => add({ name: 'forget', run: () => places.removeServer(serverId) }),
    loadFact: (name) => read(() => places.loadFact(name)),
    saveFact: (name, value) => add({ name: 'fact', run: () => places.saveFact(name, value) }),
  };
}

/** The verbs about what was used. */
export function usageVerbs({ usage: accounts }: Parts, read: Read, add: Add): Ledger {
  return {
    reserve: (payer, tokens, limits) =>
      add({
        name: 'reserve',
        run: () => {
          const used = accounts.used(payer);
          const granted = isWithin(used, tokens, limits);
          if (granted) accounts.charge(payer, tokens, 0);
          return { ...used, granted };
        },
      }),
    settle: (payer, reserved, tokens) =>
      add({ name: 'settle-usage', run: () => accounts.charge(payer, tokens - reserved, 1) }),
    used: (of) => read(() => accounts.used(of)),
    account: (scopeId, fromDay) => read(() => accounts.account(scopeId, fromDay)),
    sweepUsage: (beforeDay) => add({ name: 'sweep', run: () => accounts.sweep(beforeDay) }),
  };
}
