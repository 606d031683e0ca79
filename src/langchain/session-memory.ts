import { type BaseMessage, SystemMessage } from '@langchain/core/messages';
import { Compaction } from '../chatbot/compaction.js';
import type { Parts } from '../chatbot/parts.js';
import { systemText } from '../chatbot/prompt.js';
import { recall } from '../chatbot/recall.js';
import { sweepAll } from '../chatbot/sweep.js';
import { Windows } from '../chatbot/windows.js';
import type { Message } from '../conversation/message.js';
import type { Session } from '../conversation/session.js';
import { CallHistory } from './call-history.js';
import { createCallScopes } from './call-scopes.js';
import type { CallSettings } from './call-settings.js';
import { inputText } from './input-text.js';
import { type MemoryParts, partsOf } from './memory-parts.js';
import { toPromptMessage } from './message-rows.js';
import { SessionMessageHistory } from './session-history.js';

/** Our memory for LangChain's runnables; one serves any number of them and of sessions. */
export type SessionMemory = {
  /** The whole history of a session, as LangChain's interface. */
  history(sessionId: string): SessionMessageHistory;
  /** What one call recalls, and where it saves; `withSessionMemory` is its caller. */
  open(call: CallSettings, input: unknown): CallHistory;
  /** Deletes, in every session of the store, what retention no longer keeps; resolves with the number of messages. */
  sweep(): Promise<number>;
  /** Resolves when no fold runs or waits its turn, or after `ms` milliseconds. */
  settled(ms: number): Promise<void>;
  /** Waits up to `ms` milliseconds for folds that run and starts no further one; store and counter stay open. */
  close(ms: number): Promise<void>;
};

/** Joins a store, a counter and a summarising model into a memory. Folds run behind the answers. */
export function createSessionMemory(given: MemoryParts): SessionMemory {
  const parts = partsOf(given);
  const { store, clock } = parts;
  const windows = new Windows(clock);
  const scopes = createCallScopes(store);
  const compaction = new Compaction({ ...parts, store: scopes.store }, windows);

  const history = (sessionId: string) => new SessionMessageHistory({ store, sessionId, clock });

  function fold(call: CallSettings, session: Session): void {
    if (compaction.state(session.id).status === 'waiting-to-retry') return;
    const chosen = call.strategy !== null || call.model !== null;
    compaction.enqueue(chosen ? scopes.sessionFor(session, call) : session);
  }

  return {
    history,
    open(call, input) {
      let session: Session = { id: call.sessionId, parentId: null, serverId: null };
      return new CallHistory({
        history: history(session.id),
        recall: async () => {
          session = (await store.findSession(session.id)) ?? session;
          return recalled(parts, windows, call, session, input);
        },
        saved: () => fold(call, session),
      });
    },
    sweep: () => sweepAll(parts),
    settled: (ms) => compaction.settled(ms),
    close: (ms) => compaction.close(ms),
  };
}

/** The strategy's view of a session: the summary as one system message, then the messages that the plan sends. */
async function recalled(parts: Parts, windows: Windows, call: CallSettings, session: Session, input: unknown) {
  const { options, modelNamed } = parts;
  const model = modelNamed(call.model ?? options.defaultModel);
  const question = questionOf(session.id, inputText(input));
  const strategy = call.strategy ?? undefined;
  const { plan } = await recall({ ...parts, modelNamed: () => model }, windows, session, [question], { strategy });
  const view: BaseMessage[] = plan.messages.map(toPromptMessage);
  if (plan.summary !== null) view.unshift(new SystemMessage(systemText('', plan.summary).trimStart()));
  return view;
}

/** The question as a row that is never stored, after all that are. */
function questionOf(sessionId: string, text: string): Message {
  const author = { platformId: '', authorId: '', authorName: '', quote: null, createdAt: 0 };
  const uncounted = { seq: Number.MAX_SAFE_INTEGER, tokens: null, encoding: null };
  return { sessionId, role: 'user', state: 'pending', text, ...author, ...uncounted };
}
