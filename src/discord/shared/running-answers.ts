/** Why an answer was stopped: by its button, a deleted message of it, a forget, or the program's end. */
type StopReason = 'asked' | 'deleted' | 'forgotten' | 'shutdown';

/** One question of a turn: its message and its author. */
type Question = { platformId: string; authorId: string };

/** The part of a reply that a running answer needs. */
type ShownAnswer = { messageIds(): string[]; remove(): Promise<void> };

/** An answer that waits for its turn or is being given. */
export type RunningAnswer = {
  readonly sessionId: string;
  /** Aborts when the answer is stopped or finished; the model gets it. */
  readonly signal: AbortSignal;
  /** Records, once its turn has begun, which questions it answers and where it is shown; false if stopped before. */
  begin(questions: readonly Question[], shown: ShownAnswer): boolean;
  /** Why it was stopped, or null. */
  stopped(): StopReason | null;
  /** Whether a person asked one of its questions. */
  isAskedBy(authorId: string): boolean;
  stop(reason: StopReason): void;
  /** Ends it; afterwards it cannot be found. */
  finish(): void;
};

/** The running answers, by session. */
export type RunningAnswers = {
  start(sessionId: string): RunningAnswer;
  /** Stops the answer that is being given in a session; one that still waits for its turn goes on. */
  stop(sessionId: string, reason: StopReason): boolean;
  stopAll(reason: StopReason): void;
  /** The answer being given to a question; null when it has ended. */
  byQuestion(sessionId: string, questionId: string): RunningAnswer | null;
  /** The answer that a message of the bot shows; null when it has ended. */
  byShownMessage(sessionId: string, messageId: string): RunningAnswer | null;
  /**
   * Applies the deletion of a message: an answer without its last question, or one of whose own messages was deleted, stops
   * and its messages are deleted. Resolves with whether an answer was stopped.
   * @throws {DeliveryError} when a message of the answer could not be deleted.
   */
  messageDeleted(sessionId: string, messageId: string): Promise<boolean>;
  /** Resolves when no answer runs or waits. */
  idle(): Promise<void>;
};

type Entry = { answer: RunningAnswer; questions: Question[]; shown: ShownAnswer | null };

export function createRunningAnswers(): RunningAnswers {
  const entries = new Set<Entry>();
  let whenIdle: (() => void)[] = [];
  const remove = (entry: Entry) => {
    entries.delete(entry);
    if (entries.size > 0) return;
    for (const resolve of whenIdle) resolve();
    whenIdle = [];
  };
  const find = (sessionId: string, matches: (entry: Entry) => boolean): Entry | null =>
    [...entries].find((entry) => entry.answer.sessionId === sessionId && entry.shown !== null && matches(entry)) ??
    null;
  const asks = (id: string) => (entry: Entry) => entry.questions.some(({ platformId }) => platformId === id);
  const shows = (id: string) => (entry: Entry) => entry.shown?.messageIds().includes(id) === true;
  return {
    start(sessionId) {
      const entry = createEntry(sessionId, () => remove(entry));
      entries.add(entry);
      return entry.answer;
    },
    stop(sessionId, reason) {
      const entry = find(sessionId, () => true);
      entry?.answer.stop(reason);
      return entry !== null;
    },
    stopAll(reason) {
      for (const { answer } of entries) answer.stop(reason);
    },
    byQuestion: (sessionId, questionId) => find(sessionId, asks(questionId))?.answer ?? null,
    byShownMessage: (sessionId, messageId) => find(sessionId, shows(messageId))?.answer ?? null,
    async messageDeleted(sessionId, messageId) {
      const entry = find(sessionId, asks(messageId)) ?? find(sessionId, shows(messageId));
      if (entry === null) return false;
      const isQuestion = asks(messageId)(entry);
      const left = entry.questions.filter(({ platformId }) => platformId !== messageId);
      if (isQuestion && left.length > 0) {
        entry.questions = left;
        return false;
      }
      entry.answer.stop('deleted');
      await entry.shown?.remove();
      return true;
    },
    idle: () => (entries.size === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
  };
}

function createEntry(sessionId: string, remove: () => void): Entry {
  const controller = new AbortController();
  let stopReason: StopReason | null = null;
  const entry: Entry = {
    questions: [],
    shown: null,
    answer: {
      sessionId,
      signal: controller.signal,
      begin(questions, shown) {
        entry.questions = [...questions];
        entry.shown = shown;
        return stopReason === null;
      },
      stopped: () => stopReason,
      isAskedBy: (authorId) => entry.questions.some((question) => question.authorId === authorId),
      stop(reason) {
        stopReason ??= reason;
        controller.abort();
      },
      finish() {
        remove();
        controller.abort();
      },
    },
  };
  return entry;
}
