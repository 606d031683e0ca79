import { ModelError } from '../conversation/errors.js';
import { MESSAGE_OVERHEAD, type Message } from '../conversation/message.js';
import type { Completion, PromptImage } from '../conversation/model.js';
import type { Session } from '../conversation/session.js';
import type { Turn } from '../conversation/store.js';
import { type TextStream, tapped } from '../conversation/stream.js';
import { triggerOf } from '../conversation/turn.js';
import { faultStep } from '../fault.js';
import type { Parts } from './parts.js';
import { type Recall, recall } from './recall.js';
import { charged, limitsOf, nearlyUsedUp, payerOf } from './spending.js';
import type { Windows } from './windows.js';

/** What a door may add to a turn. */
export type TurnCall = {
  signal?: AbortSignal | undefined;
  /** Awaited before the turn takes up its questions, which may still be added to. */
  ready?: (() => Promise<void>) | undefined;
  /** The pictures that belong to a turn's questions, asked for once the turn is known. */
  images?: ((turn: Turn) => readonly PromptImage[]) | undefined;
};

/** The answer was complete, but its question had been erased or its session forgotten meanwhile. */
export class Forgotten extends Error {}

/** One answer in the making: its prompt, its stream and its storing, which comes before the stream ends. */
export class Answering {
  stored: Message | null = null;
  finish: Completion['finish'] = 'stop';
  #parts: Parts;
  #windows: Windows;
  #session: Session;
  #turn: Turn;
  #call: TurnCall;
  #recalled: Recall | null = null;
  #nearly: () => Promise<'server' | 'person' | null> = async () => null;

  constructor(parts: Parts, windows: Windows, session: Session, turn: Turn, call: TurnCall) {
    this.#parts = parts;
    this.#windows = windows;
    this.#session = session;
    this.#turn = turn;
    this.#call = call;
  }

  get recalled(): Recall {
    if (this.#recalled === null) throw new Error('nothing was recalled before the answer');
    return this.#recalled;
  }

  /** Whose budget of the day this answer has brought past four fifths; to be asked once the answer is stored. */
  nearly(): Promise<'server' | 'person' | null> {
    return this.#nearly();
  }

  /** The answer in pieces; a prompt that the endpoint finds too long is shrunk and sent again, twice at most. */
  async *pieces(): AsyncGenerator<string, void, void> {
    const { questions } = this.#turn;
    const images = this.#call.images?.(this.#turn) ?? [];
    for (let shrunk = 0; ; shrunk += 1) {
      const began = performance.now();
      const recalled = await recall(this.#parts, this.#windows, this.#session, questions, { images });
      this.#parts.meter?.time('recall', performance.now() - began);
      this.#recalled = recalled;
      let text = '';
      try {
        const completion = yield* this.#stream(recalled, (piece) => {
          text += piece;
        });
        await this.#keep(recalled, text, completion);
        return;
      } catch (error) {
        const overflow = error instanceof ModelError && error.code === 'context-overflow';
        if (!overflow || text !== '' || shrunk === 2) throw error;
        this.#windows.narrow(recalled.model, error.limit);
      }
    }
  }

  async *#stream(recalled: Recall, record: (piece: string) => void): TextStream {
    const { model, settings, prompt } = recalled;
    const maxTokens = Math.min(this.#parts.options.maxAnswerTokens, Math.floor(recalled.window.contextWindow / 2));
    const limits = limitsOf(settings, this.#parts.options);
    const estimate = { prompt: promptTokens(recalled), answer: maxTokens };
    const answer = model.stream(prompt, {
      task: 'answer',
      maxTokens,
      temperature:
        settings.temperature.origin === 'default' ? this.#parts.options.temperature : settings.temperature.value,
      signal: this.#call.signal,
      metadata: { sessionId: this.#session.id, strategy: settings.strategy.value.name },
    });
    const payer = payerOf(this.#parts, this.#session, triggerOf(this.#turn)?.authorId ?? '');
    const before = limits.server === null && limits.person === null ? null : await this.#parts.store.used(payer);
    this.#nearly = async () => (before === null ? null : nearlyUsedUp(this.#parts, payer, limits, before));
    return yield* tapped(charged(this.#parts, payer, limits, estimate, answer), record);
  }

  async #keep(recalled: Recall, text: string, completion: Completion): Promise<void> {
    if (completion.finish === 'filtered')
      throw new ModelError('filtered', 'The model provider refused this content; rephrase the question.');
    this.#windows.observe(recalled.model, promptTokens(recalled), completion.usage);
    this.finish = completion.finish;
    const [tokens = 0] = await this.#parts.counter.count([`${text}\n`], recalled.model.encoding);
    await faultStep('turn:before-store');
    this.stored = await this.#parts.store.storeAnswer(this.#turn, {
      text,
      authorId: 'keepsake',
      authorName: '',
      createdAt: this.#parts.clock(),
      tokens: tokens + MESSAGE_OVERHEAD,
      encoding: recalled.model.encoding,
      counts: recalled.questions.map(({ seq, tokens: count, encoding }) => ({
        seq,
        tokens: count ?? 0,
        encoding: encoding ?? '',
      })),
    });
    if (this.stored === null) throw new Forgotten();
    await faultStep('turn:stored');
  }
}

function promptTokens({ tokens: { persona, summary, messages, question } }: Recall): number {
  return persona + summary + messages + question;
}
