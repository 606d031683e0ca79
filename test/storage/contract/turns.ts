import { describe, expect } from 'vitest';
import { anAnswer, aQuestion, converse, mustAppend, openTurn, someTalk } from '../../support/conversation.js';
import type { OpenStore } from '../contract.js';
import { pendingTurn, SESSION, textsIn, withStore } from './fixture.js';

export function turnContract(open: OpenStore): void {
  const it = withStore(open);

  describe('unfinishedAnswer', () => {
    it('is null when nothing waits', async (store) => {
      expect(await openTurn(store, SESSION.id)).toBeNull();
      await mustAppend(store, someTalk());
      await converse(store);
      expect(await openTurn(store, SESSION.id)).toBeNull();
      expect(await openTurn(store, 'discord:unknown')).toBeNull();
    });

    it('takes all that was said from the first waiting question on, and stores nothing', async (store) => {
      await mustAppend(store, someTalk({ text: 'before' }));
      const asked = [
        await mustAppend(store, aQuestion()),
        await mustAppend(store, someTalk()),
        await mustAppend(store, aQuestion()),
      ];
      const turn = await pendingTurn(store);
      expect(turn).toMatchObject({ sessionId: SESSION.id, epoch: 0, questions: asked });
      expect(await pendingTurn(store)).toMatchObject({ questions: asked });
    });

    it('reserves a number for the answer before all that is said meanwhile', async (store) => {
      const question = await mustAppend(store, aQuestion({ text: 'asked' }));
      const turn = await pendingTurn(store);
      const late = await mustAppend(store, someTalk({ text: 'meanwhile' }));
      const answer = await store.storeAnswer(turn, anAnswer({ text: 'answered' }));
      await store.settleTurn(turn);
      expect(answer?.seq).toBe(turn.answerSeq);
      expect(question.seq).toBeLessThan(turn.answerSeq);
      expect(turn.answerSeq).toBeLessThan(late.seq);
      expect(await textsIn(store)).toEqual(['asked', 'answered', 'meanwhile']);
    });

    it('leaves a question that came meanwhile to the next turn', async (store) => {
      await mustAppend(store, aQuestion());
      const first = await pendingTurn(store);
      const late = await mustAppend(store, aQuestion());
      await store.storeAnswer(first, anAnswer());
      await store.settleTurn(first);
      expect((await pendingTurn(store)).questions).toEqual([late]);
    });
  });
}
