import { describe, expect } from 'vitest';
import { anAnswer, aQuestion, converse, keep, openTurn, someTalk } from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { mustOpen, SESSION, stage, texts } from './stage.js';

export function turnContract(open: OpenStore): void {
  const it = stage(open);

  describe('unfinishedAnswer', () => {
    it('is null when nothing waits', async (store) => {
      expect(await openTurn(store, SESSION.id)).toBeNull();
      await keep(store, someTalk());
      await converse(store);
      expect(await openTurn(store, SESSION.id)).toBeNull();
      expect(await openTurn(store, 'discord:unknown')).toBeNull();
    });

    it('takes all that was said from the first waiting question on, and stores nothing', async (store) => {
      await keep(store, someTalk({ text: 'before' }));
      const asked = [await keep(store, aQuestion()), await keep(store, someTalk()), await keep(store, aQuestion())];
      const turn = await mustOpen(store);
      expect(turn).toMatchObject({ sessionId: SESSION.id, epoch: 0, questions: asked });
      expect(await mustOpen(store)).toMatchObject({ questions: asked });
    });

    it('reserves a number for the answer before all that is said meanwhile', async (store) => {
      const question = await keep(store, aQuestion({ text: 'asked' }));
      const turn = await mustOpen(store);
      const late = await keep(store, someTalk({ text: 'meanwhile' }));
      const answer = await store.storeAnswer(turn, anAnswer({ text: 'answered' }));
      await store.settleTurn(turn);
      expect(answer?.seq).toBe(turn.answerSeq);
      expect(question.seq).toBeLessThan(turn.answerSeq);
      expect(turn.answerSeq).toBeLessThan(late.seq);
      expect(await texts(store)).toEqual(['asked', 'answered', 'meanwhile']);
    });

    it('leaves a question that came meanwhile to the next turn', async (store) => {
      await keep(store, aQuestion());
      const first = await mustOpen(store);
      const late = await keep(store, aQuestion());
      await store.storeAnswer(first, anAnswer());
      await store.settleTurn(first);
      expect((await mustOpen(store)).questions).toEqual([late]);
    });
  });
}
