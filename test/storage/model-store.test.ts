import { createModelStore } from '../support/model-store.js';
import { testConversationStore } from './contract.js';

testConversationStore('the model store', async () => createModelStore());
