import type { ArchiveHeader, ArchiveMessage, ArchiveSummary } from '../conversation/archive.js';
import type { Session } from '../conversation/session.js';
import type { Compaction } from './compaction.js';
import { exportRows } from './export.js';
import { type ImportReceipt, importArchive } from './import.js';
import type { Parts } from './parts.js';

/** Moving a whole memory between sessions and hosts. */
export class ArchiveVerbs {
  readonly #parts: Parts;
  readonly #compaction: Compaction;

  constructor(parts: Parts, compaction: Compaction) {
    this.#parts = parts;
    this.#compaction = compaction;
  }

  /** The rows of a session's archive, header first. */
  export(session: Session): AsyncGenerator<ArchiveHeader | ArchiveMessage | ArchiveSummary> {
    return exportRows(this.#parts.store, session, this.#parts.clock());
  }

  /**
   * Stores an archive in a session that remembers nothing, all or nothing; null when it remembers anything.
   * @throws {CommandError} naming the first faults by line.
   */
  async import(session: Session, content: string): Promise<ImportReceipt | null> {
    const receipt = await importArchive(this.#parts, session, content);
    if (receipt !== null) this.#compaction.enqueue(session);
    return receipt;
  }
}
