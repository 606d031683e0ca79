import { openStore } from '../../src/storage/open.js';
import { testConversationStore } from './contract.js';

testConversationStore('the SQLite store in memory', () => openStore(':memory:'));
