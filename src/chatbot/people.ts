import type { Message } from '../conversation/message.js';
import type { Compaction } from './compaction.js';
import { type ForgetReceipt, forgetEverywhere } from './forget.js';
import type { Parts } from './parts.js';

/** A person as a platform names them. */
export type Person = { id: string; name: string };

const PAGE = 200;
const SUMMARY_RANK: ForgetReceipt['summary'][] = ['none', 'erased', 'rewritten', 'rebuilding', 'dropped'];

/** What people may ask for their own sake. A scope is a server's scope id, or the id of a direct-message session. */
export class PeopleVerbs {
  readonly #parts: Parts;
  readonly #compaction: Compaction;

  constructor(parts: Parts, compaction: Compaction) {
    this.#parts = parts;
    this.#compaction = compaction;
  }

  /** Whether a person has opted out of a scope, and whether they were told so since. */
  optOut(scopeId: string, authorId: string): Promise<{ optedOut: boolean; told: boolean }> {
    return this.#parts.store.optOut(scopeId, authorId);
  }

  /** Records that a person's texts are not to be kept in a scope, or may be again. */
  setOptOut(scopeId: string, authorId: string, optedOut: boolean): Promise<void> {
    return this.#parts.store.setOptOut(scopeId, authorId, optedOut, this.#parts.clock());
  }

  /** Records that a person was told why they get no answer. */
  markTold(scopeId: string, authorId: string): Promise<void> {
    return this.#parts.store.markTold(scopeId, authorId);
  }

  /** Everything that a person has written in a scope, session by session, oldest first. */
  async *exportPerson(scopeId: string, authorId: string): AsyncGenerator<Message> {
    for (const session of await this.#parts.store.sessionsOfAuthor(scopeId, authorId)) {
      let after = 0;
      for (;;) {
        const page = await this.#parts.store.messagesOfAuthor(session.id, authorId, after, PAGE);
        yield* page;
        if (page.length < PAGE) break;
        after = page.at(-1)?.seq ?? after;
      }
    }
  }

  /** Forgets a person in every session of a scope; the receipt sums up what was erased. */
  async erasePerson(scopeId: string, person: Person): Promise<ForgetReceipt> {
    const total: ForgetReceipt = { messages: 0, answers: 0, summary: 'none' };
    const sessions = await this.#parts.store.sessionsOfAuthor(scopeId, person.id);
    const whom = { authorId: person.id, authorName: person.name };
    for (const receipt of await forgetEverywhere(this.#parts, this.#compaction, sessions, whom)) {
      total.messages += receipt.messages;
      total.answers += receipt.answers;
      if (SUMMARY_RANK.indexOf(receipt.summary) > SUMMARY_RANK.indexOf(total.summary)) total.summary = receipt.summary;
    }
    return total;
  }
}
