import { createInMemoryStore } from '../../src/storage/in-memory.js';
import { testConversationStore } from './contract.js';

testConversationStore('the in-memory store', async () => createInMemoryStore());
