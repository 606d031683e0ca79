import type { ChatHistoryCase } from './conformance/case.js';
import { contentCases } from './conformance/content.js';
import { orderCases } from './conformance/order.js';
import { sessionCases } from './conformance/sessions.js';

export type { ChatHistoryCase, CreateChatHistory } from './conformance/case.js';

/**
 * What a persistent chat history must hold to, whatever store lies behind it: cases for any test runner, as in
 * `for (const { name, run } of chatHistoryCases) it(name, () => run((id) => new MyHistory(id)))`.
 */
export const chatHistoryCases: readonly ChatHistoryCase[] = [...orderCases, ...contentCases, ...sessionCases];
