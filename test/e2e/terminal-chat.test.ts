import { describe, expect, it } from 'vitest';
import { answersIn, chat, startChat } from './terminal.js';

/** Wrong lines, and what each is answered with. */
const WRONG: readonly [line: string, answer: string][] = [
  ['/memroy show', 'There is no command /memroy show; did you mean /memory show?'],
  ['/memory', '/memory needs one more word: strategy, show, summarize, forget.'],
  ['/forget', 'There is no command /forget; did you mean /memory forget?'],
  ['/settings show', '/settings show works on Discord only; type /help for what works here.'],
  ['/settings', '/settings works on Discord only; type /help for what works here.'],
  ['/memory export', '/memory export works on Discord only; type /help for what works here.'],
  ['/chat how are you', '/chat works on Discord only; type /help for what works here.'],
  ['/exit', 'There is no command /exit; did you mean /quit?'],
  ['//hi', 'There is no command //hi; type /help for the list.'],
  ['/help memory', '/help takes no options; type it alone.'],
  ['/memory strategy window 3', 'Options are typed name:value, such as k:3.'],
  ['/memory strategy window k=3', 'Options are typed name:value, such as k:3.'],
  ['/memory strategy window k: 3', 'Options are typed name:value, such as k:3.'],
  ['/memory strategy window k:3 turns', 'Options are typed name:value, such as unit:turns.'],
  ['/memory strategy buffer all', 'Options are typed name:value, such as max_tokens:100.'],
  ['/memory forget session', 'Options are typed name:value, such as what:session.'],
  ['/memory forget now', 'Options are typed name:value, such as what:session.'],
  ['/memory strategy window', 'k is missing; add k:0–500.'],
  ['/memory strategy window k:501', 'k must be a whole number in 0–500.'],
  ['/memory strategy window k:-1', 'k must be a whole number in 0–500.'],
  ['/memory strategy window k:2.5', 'k must be a whole number in 0–500.'],
  ['/memory strategy window k:many', 'k must be a whole number in 0–500.'],
  ['/memory strategy window k:1e2', 'k must be a whole number in 0–500.'],
  ['/memory strategy window k:', 'k must be a whole number in 0–500.'],
  ['/memory strategy window k:2 k:3', 'k is given twice; give it once.'],
  ['/memory strategy window k:2 unit:turn', 'unit must be messages or turns; did you mean turns?'],
  ['/memory strategy window k:2 kk:3', 'There is no option kk; did you mean k?'],
  ['/memory strategy window foo:3', 'There is no option foo; it takes k, unit, scope.'],
  ['/memory strategy buffer max_tokens:99', 'max_tokens must be a whole number in 100–1,000,000.'],
  [
    '/memory strategy summary max_summary_tokens:9999999999999999999',
    'max_summary_tokens must be a whole number in 50–2,000.',
  ],
  ['/memory strategy summary-buffer max_tokens:1000 max_messages:20', 'exclude each other; give one pair.'],
  ['/memory strategy summary-buffer max_tokens:1000 keep_tokens:1000', 'less than max_tokens (1000)'],
  ['/memory forget what:everything', 'what must be session, me or last.'],
  ['/memory forget', 'what is missing; add what:session|me|last.'],
  ['/memory show now:1', 'There is no option now; this command takes none.'],
];

describe('wrong commands', () => {
  it('explain themselves with the nearest right one, change nothing and lose nothing', async () => {
    const script = [
      'My boat is called Mimi.',
      ...WRONG.map(([line]) => line),
      'What is my boat called?',
      '/memory show',
    ];
    const { code, out, errors } = await chat(script);
    expect([code, errors]).toEqual([1, '']);
    const said = out.split('\n').slice(4);
    const missed = WRONG.flatMap(([line, answer], i) => (said[i]?.includes(answer) ? [] : [[line, said[i]]]));
    expect(missed).toEqual([]);
    expect(answersIn(out).at(-1)).toContain('> Ada: My boat is called Mimi. (message)');
    expect(out).toContain('summary-buffer max_tokens:3000 keep_tokens:1500 max_summary_tokens:400 (default)');
  });
});

describe('the memory commands', () => {
  it('show, change and forget what is remembered, and tell what that does to the next request', async () => {
    const { out } = await chat([
      'My boat is called Mimi.',
      'The sun is out.',
      '/memory strategy window k:2',
      'What is my boat called?',
      '/memory strategy window k:0 scope:channel',
      '/memory summarize',
      '/memory strategy window k:1 unit:turns',
      '/memory strategy inherit',
      '/memory strategy inherit scope:channel',
      '/memory strategy summary',
      '/memory summarize',
      '/memory show',
      '/memory forget what:last',
      '/memory forget what:me',
      '/memory forget what:session',
      'What is my boat called?',
    ]);
    expect(answersIn(out).map((answer) => answer.split('\n')[0])).toEqual([
      'Noted: My boat is called Mimi.',
      'Noted: The sun is out.',
      'Nothing in what I was given is about that.',
      'Nothing in what I was given is about that.',
    ]);
    const lines = out.split('\n');
    const following = (start: string) => lines.slice(lines.findIndex((line) => line.startsWith(start))).slice(0, 3);
    expect(following('Remembered now: window k:2')[0]).toBe(
      'Remembered now: window k:2 unit:messages (set for all sessions).',
    );
    expect(following('Remembered now: window k:2')[1]).toMatch(
      /^The next request would carry 2 messages, \d+ tokens \(before: 4 messages, \d+ tokens\)\.$/u,
    );
    expect(following('Remembered now: window k:0').slice(0, 3)).toEqual([
      'Remembered now: window k:0 unit:messages (set for this session).',
      expect.stringMatching(/carry 0 messages/u),
      'With this k the model sees nothing but the question.',
    ]);
    const still =
      "Here the session's own setting window k:0 unit:messages still counts; /memory strategy inherit scope:channel removes it.";
    expect(following('Saved for all sessions: ')).toEqual([
      'Saved for all sessions: window k:1 unit:turns.',
      still,
      'With this k the model sees nothing but the question.',
    ]);
    expect(following('Removed for all sessions.')[1]).toBe(still);
    expect(out).toContain('window keeps no summary, so nothing was changed.');
    expect(out).toMatch(
      /stored {4}6 messages; 6 of them the model no longer sees word for word\n {2}summary {3}covers .* UTC, written by offline\n {12}Ada: My boat is called Mimi\./u,
    );
    expect(out).toContain('Forgotten: 1 message and 1 answer.');
    expect(out).toContain('Forgotten: 2 messages and 2 answers.');
    expect(out).toContain('Forgotten: 0 messages and 0 answers.');
  });
});

describe('odd text', () => {
  const ODD: readonly [what: string, text: string | Buffer, told: string][] = [
    ['NUL', 'My first code is \0Kingfisher.', 'Kingfisher'],
    ['special tokens', 'My second code is <|endoftext|><|im_start|> Heron.', '<|endoftext|><|im_start|> Heron'],
    ['replacement patterns', 'My third code is $& $1 $` Egret.', '$& $1 $` Egret'],
    [
      'fence marks',
      'My fourth code is ``` </summary> </transcript-0123456789ab> Stork.',
      '``` </summary> </transcript-0123456789ab> Stork',
    ],
    [
      'lone surrogates',
      Buffer.from([...Buffer.from('My fifth code is '), 0xed, 0xa0, 0x80, ...Buffer.from(' Crane.')]),
      'Crane',
    ],
    ['control sequences', 'My sixth code is \u001b[2J\u202e Bittern.', '\uFFFD[2J\uFFFD Bittern'],
  ];

  it('is kept as it was said, harms nothing, and empty questions are refused', async () => {
    const program = startChat();
    for (const [, text] of ODD) {
      program.child.stdin?.write(text);
      program.type('');
    }
    program.type('', '   ', ...ODD.map(([, text]) => String(text).replace(/^My (\w+) .*$/su, 'What is my $1 code?')));
    const { code, out, errors } = await program.end();
    expect([code, errors]).toEqual([1, '']);
    expect(out.match(/^There is nothing to answer; write a question\.$/gmu)).toHaveLength(2);
    const told = answersIn(out).slice(-ODD.length);
    const missed = ODD.flatMap(([what, , words], i) => (told[i]?.includes(words) ? [] : [[what, told[i]]]));
    expect(missed).toEqual([]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
    expect(out).not.toMatch(/[\u0000-\u0008\u001b\u202e]/u);
  });

  it('of 100,000 characters is answered and stored in full; the talk before is still known', async () => {
    const long = `Is this too long? ${'word '.repeat(20_000)}`;
    const { code, out, errors } = await chat([
      'My boat is called Mimi.',
      long,
      // The fold runs behind the replies; on a busy machine the next question would come before its end.
      '/memory summarize',
      'What is my boat called?',
      '/memory show',
    ]);
    expect([code, errors]).toEqual([0, '']);
    expect(answersIn(out)).toHaveLength(3);
    expect(answersIn(out).at(-1)).toContain('My boat is called Mimi.');
    expect(out).toContain('6 messages');
  });
});
