import { describe, expect, it } from 'vitest';
import { createRunningAnswers } from '../../src/discord/shared/running-answers.js';

const question = (platformId: string, authorId = 'ada') => ({ platformId, authorId });

function shownAs(...ids: string[]) {
  const shown = {
    removals: 0,
    messageIds: () => ids,
    remove: async () => {
      shown.removals += 1;
    },
  };
  return shown;
}

describe('the running answers', () => {
  it('are found by each question and each shown message of their own session, until they finish', async () => {
    const running = createRunningAnswers();
    const answer = running.start('s1');
    expect(running.byQuestion('s1', 'q1')).toBeNull();
    expect(answer.begin([question('q1'), question('q2', 'bob')], shownAs('m1', 'm2'))).toBe(true);
    expect(running.byQuestion('s1', 'q2')).toBe(answer);
    expect(running.byShownMessage('s1', 'm2')).toBe(answer);
    expect(running.byQuestion('s2', 'q1')).toBeNull();
    expect(running.byShownMessage('s1', 'q1')).toBeNull();
    answer.finish();
    expect(running.byQuestion('s1', 'q1')).toBeNull();
    await running.idle();
  });

  it('know who asked', () => {
    const answer = createRunningAnswers().start('s1');
    answer.begin([question('q1'), question('q2', 'bob')], shownAs());
    expect(['ada', 'bob', 'eve'].map((id) => answer.isAskedBy(id))).toEqual([true, true, false]);
  });

  it('stop with their first reason, and only the one that is being given', () => {
    const running = createRunningAnswers();
    const [given, waiting] = [running.start('s1'), running.start('s1')];
    expect(running.stop('s1', 'asked')).toBe(false);
    given.begin([question('q1')], shownAs());
    expect(running.stop('s1', 'forgotten')).toBe(true);
    given.stop('asked');
    expect([given.signal.aborted, given.stopped()]).toEqual([true, 'forgotten']);
    expect([waiting.signal.aborted, waiting.stopped()]).toEqual([false, null]);
  });

  it('all stop at the end of the program, those that wait too', () => {
    const running = createRunningAnswers();
    const answers = [running.start('s1'), running.start('s1'), running.start('s2')];
    running.stopAll('shutdown');
    expect(answers.map((answer) => answer.stopped())).toEqual(['shutdown', 'shutdown', 'shutdown']);
    expect(answers[1]?.begin([question('q1')], shownAs())).toBe(false);
  });

  it('finish without a reason, but with their signal aborted', () => {
    const answer = createRunningAnswers().start('s1');
    answer.finish();
    expect([answer.signal.aborted, answer.stopped()]).toEqual([true, null]);
  });

  it('stop and remove their messages when the last question is deleted, not before', async () => {
    const running = createRunningAnswers();
    const answer = running.start('s1');
    const shown = shownAs('m1');
    answer.begin([question('q1'), question('q2')], shown);
    expect(await running.messageDeleted('s1', 'q1')).toBe(false);
    expect([answer.stopped(), shown.removals]).toEqual([null, 0]);
    expect(await running.messageDeleted('s1', 'q2')).toBe(true);
    expect([answer.stopped(), shown.removals]).toEqual(['deleted', 1]);
  });

  it('stop and remove the rest when somebody deletes one of their messages', async () => {
    const running = createRunningAnswers();
    const answer = running.start('s1');
    const shown = shownAs('m1', 'm2');
    answer.begin([question('q1')], shown);
    expect(await running.messageDeleted('s1', 'm1')).toBe(true);
    expect([answer.stopped(), shown.removals]).toEqual(['deleted', 1]);
  });

  it('do not mind messages that are none of theirs', async () => {
    const running = createRunningAnswers();
    running.start('s1').begin([question('q1')], shownAs('m1'));
    expect(await running.messageDeleted('s1', 'other')).toBe(false);
    expect(await running.messageDeleted('s2', 'q1')).toBe(false);
  });
});
