export { KeepsakeError } from '../conversation/errors.js';
export type { TokenCounter } from '../conversation/model.js';
export type { Strategy } from '../conversation/settings.js';
export type { ConversationStore, Store } from '../conversation/store.js';
export { type SessionHistoryFields, SessionMessageHistory } from './session-history.js';
export type { MemoryParts, ModelFigures } from './session-memory.js';
export { createSessionMemory, type SessionMemory } from './session-memory.js';
export { createSummaryModel, type SummaryModelFields } from './summary-model-adapter.js';
export {
  type CallInput,
  type MessageKeys,
  mergeSystemMessages,
  modelByName,
  withSessionMemory,
} from './with-session-memory.js';
