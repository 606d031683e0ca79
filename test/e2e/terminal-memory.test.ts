import { expect, it } from 'vitest';
import { aFolder } from '../support/folder.js';
import { answersIn, chat, startChat } from './terminal.js';

const SMALL = '/memory strategy summary-buffer max_messages:6 keep_messages:2';
const TALK = ['The sun is out.', 'The sea is calm.', 'The ferry was late.', 'Dinner was good.'];

it('remembers across kill -9 what only the summary still holds, and not under a window', async () => {
  const folder = aFolder();
  const first = startChat({ folder });
  first.type(SMALL, 'My name is Ada and my boat is called Mimi.', ...TALK);
  await first.says('Noted: Dinner was good.');
  first.type('/memory summarize');
  await first.says('Folded into the summary');
  first.signal('SIGKILL');
  expect((await first.ended).signal).toBe('SIGKILL');

  const { code, out, errors } = await chat(
    [
      'What is my boat called?',
      '/memory show',
      '/memory strategy window k:2',
      'What is my boat called?',
      '/memory show',
      SMALL,
      'What is my boat called?',
      '/quit',
    ],
    { folder },
  );
  expect([code, errors]).toEqual([0, '']);
  const known = '> Ada: My name is Ada and my boat is called Mimi. (summary)';
  expect(answersIn(out).map((answer) => answer.split('\n')[0])).toEqual([
    known,
    'Nothing in what I was given is about that.',
    known,
  ]);
  const [before = '', under = ''] = out.split('Memory of terminal:default').slice(1);
  expect(before).toMatch(/strategy {2}summary-buffer max_messages:6 keep_messages:2 .*\(set for all sessions\)/u);
  expect(before).toMatch(
    /summary {3}covers .* UTC, written by offline\n {12}Ada: My name is Ada and my boat is called Mimi\./u,
  );
  expect(under).toMatch(/strategy {2}window k:2 unit:messages/u);
  expect(under).toMatch(/stored {4}14 messages; 12 of them the model no longer sees/u);
  expect(under).toContain('summary   not used by this strategy');
});

it('answers after a kill what was still unanswered, once', async () => {
  const folder = aFolder();
  await chat(['My boat is called Mimi.'], { folder });
  const killed = await chat(['What is my boat called?'], { folder, env: { KEEPSAKE_FAULT: 'turn:stored kill' } });
  expect(killed.signal).toBe('SIGKILL');
  const { out } = await chat(['/memory show'], { folder });
  expect(out).toContain('Ada> What is my boat called?\nkeepsake> ');
  expect(answersIn(out)[0]).toContain('> Ada: My boat is called Mimi. (message)');
  expect(out).toContain('stored    4 messages; the model sees all of them');
  expect(answersIn((await chat([], { folder })).out)).toEqual([]);
});
