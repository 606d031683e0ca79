export { answer, failure, forever, overflow, page, stream, whole } from './scripts.js';
export { type FakeOpenAI, type FakeOpenAIOptions, startFakeOpenAI } from './server.js';
export { questionOf, type Script } from './wire.js';
