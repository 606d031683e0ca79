import { describe } from 'vitest';
import type { Store } from '../../src/conversation/store.js';
import { answerContract } from './contract/answers.js';
import { editContract } from './contract/edits.js';
import { eraseContract } from './contract/erase.js';
import { forgetContract, forgetLastContract } from './contract/forget.js';
import { historyContract } from './contract/history.js';
import { isolationContract } from './contract/isolation.js';
import { messageContract } from './contract/messages.js';
import { retentionContract } from './contract/retention.js';
import { rewrittenSummaryContract } from './contract/rewritten-summaries.js';
import { sessionContract } from './contract/sessions.js';
import { settingsContract } from './contract/settings.js';
import { sharedValueContract } from './contract/shared-values.js';
import { summaryContract } from './contract/summaries.js';
import { turnEndingContract } from './contract/turn-endings.js';
import { turnContract } from './contract/turns.js';

/** Opens a new, empty store for one test, which closes it again. */
export type OpenStore = () => Promise<Store>;

/** Holds a store to everything that a conversation store promises. */
export function testConversationStore(name: string, open: OpenStore): void {
  describe(name, () => {
    sessionContract(open);
    messageContract(open);
    turnContract(open);
    answerContract(open);
    turnEndingContract(open);
    historyContract(open);
    summaryContract(open);
    rewrittenSummaryContract(open);
    editContract(open);
    eraseContract(open);
    forgetContract(open);
    forgetLastContract(open);
    settingsContract(open);
    retentionContract(open);
    isolationContract(open);
    sharedValueContract(open);
  });
}
