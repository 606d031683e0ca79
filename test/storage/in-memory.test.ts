import { createInMemoryStore } from '../support/model-store.js';
import { testConversationStore } from './contract.js';

testConversationStore('the in-memory store', async () => createInMemoryStore());
