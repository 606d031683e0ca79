/** Why an answer was stopped: by its button, because a message of it was deleted, by a forget, or by the program's end. */
type StopReason = 'asked' | 'deleted' | 'forgotten' | 'shutdown';

/** One question of a turn: its message and who asked it. */
type Question = { platformId: string; authorId: string };

/** The part of a reply that a running answer needs. */
type ShownAnswer = { messageIds(): string[]; remove(): Promise<void> };

/** An answer that is waited for or being given. */
export type RunningAnswer = {
  readonly sessionId: string;
  /** Aborts when the answer is stopped or finished; it goes to the model. */
  readonly signal: AbortSignal;
  /** Records, once its turn has begun, which questions it answers and where it is shown; returns false if stopped before. */
  begin(questions: readonly Question[], shown: ShownAnswer): boolean;
  /** Why it was stopped, or null. */
  stopped(): StopReason | null;
  /** Whether a person asked one of its questions. */
  isAskedBy(authorId: string): boolean;
  stop(reason: StopReason): void;
  /** Ends it, whatever became of it; afterwards it cannot be found. */
  finish(): void;
};

/** The answers under way, by session. */
export type RunningAnswers = {
  start(sessionId: string): RunningAnswer;
  /** Stops the answer that is being given in a session; one that still waits for its turn is left alone. */
  stop(sessionId: string, reason: StopReason): boolean;
  stopAll(reason: StopReason): void;
  /** The answer being given to a question; null when it is over. */
  byQuestion(sessionId: string, questionId: string): RunningAnswer | null;
  /** The answer that a message of the bot shows; null when it is over. */
  byShownMessage(sessionId: string, messageId: string): RunningAnswer | null;
  /**
   * Tells that a message was deleted: without its last question an answer stops and its messages go; the same when
   * somebody deleted one of those. Whether an answer was stopped.
   * @throws {DeliveryError} when a message of the answer could not be removed.
   */
  messageDeleted(sessionId: string, messageId: string): Promise<boolean>;
  /** How many answers are given or waited for. */
  count(): number;
};

type Entry = { answer: RunningAnswer; questions: Question[]; shown: ShownAnswer | null };

/** Starts with none. */
export function createRunningAnswers(): RunningAnswers {
  const entries = new Set<Entry>();
  const find = (sessionId: string, wanted: (entry: Entry) => boolean): Entry | null =>
    [...entries].find((entry) => entry.answer.sessionId === sessionId && entry.shown !== null && wanted(entry)) ?? null;
  const asks = (id: string) => (entry: Entry) => entry.questions.some(({ platformId }) => platformId === id);
  const shows = (id: string) => (entry: Entry) => entry.shown?.messageIds().includes(id) === true;
  return {
    start(sessionId) {
      const entry = createEntry(sessionId, () => entries.delete(entry));
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
    count: () => entries.size,
  };
}

function createEntry(sessionId: string, forget: () => void): Entry {
  const controller = new AbortController();
  let reason: StopReason | null = null;
  const entry: Entry = {
    questions: [],
    shown: null,
    answer: {
      sessionId,
      signal: controller.signal,
      begin(questions, shown) {
        entry.questions = [...questions];
        entry.shown = shown;
        return reason === null;
      },
      stopped: () => reason,
      isAskedBy: (authorId) => entry.questions.some((question) => question.authorId === authorId),
      stop(why) {
        reason ??= why;
        controller.abort();
      },
      finish() {
        forget();
        controller.abort();
      },
    },
  };
  return entry;
}
