import { describe } from 'vitest';
import type { Store } from '../../src/conversation/store.js';
import { answerContract } from './contract/answers.js';
import { copiesContract } from './contract/copies.js';
import { editContract } from './contract/edit.js';
import { endingContract } from './contract/endings.js';
import { eraseContract } from './contract/erase.js';
import { foldingContract } from './contract/folding.js';
import { forgetContract } from './contract/forget.js';
import { forgetLastContract } from './contract/forget-last.js';
import { historyContract } from './contract/history.js';
import { intakeContract } from './contract/intake.js';
import { isolationContract } from './contract/isolation.js';
import { retentionContract } from './contract/retention.js';
import { rewriteContract } from './contract/rewrite.js';
import { sessionContract } from './contract/sessions.js';
import { settingsContract } from './contract/settings.js';
import { turnContract } from './contract/turns.js';

/** Opens a new, empty store for one test, which closes it again. */
export type OpenStore = () => Promise<Store>;

/** Holds a store to everything that a conversation store promises. */
export function testConversationStore(name: string, open: OpenStore): void {
  describe(name, () => {
    sessionContract(open);
    intakeContract(open);
    turnContract(open);
    answerContract(open);
    endingContract(open);
    historyContract(open);
    foldingContract(open);
    rewriteContract(open);
    editContract(open);
    eraseContract(open);
    forgetContract(open);
    forgetLastContract(open);
    settingsContract(open);
    retentionContract(open);
    isolationContract(open);
    copiesContract(open);
  });
}
