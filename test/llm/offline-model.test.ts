import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutMark } from '../../src/conversation/message.js';
import type { Prompt } from '../../src/conversation/model.js';
import { createOfflineModel } from '../../src/llm/offline-model.js';
import { ask, fence, fold, LABEL, LABEL_ZH, write } from './offline-calls.js';

const NOTHING = 'Nothing in what I was given is about that.';
const SELF = 'I am no language model, only a stand-in that keeps what is said here and quotes it.';

const TALK = [
  'Ada: Hi, my name is Ada and I live in Bern.\nBob: My dog is called Rex.',
  'Ada: The wifi password is hunter2-blue\nBob: lol ok',
  'Cem (he/him): we decided to go with Postgres 16 from now on',
  'Ada: The meeting is on Tuesday at 15:30 in room 204.\nBob: I love hiking in the Alps',
];

describe('an offline answer to a question', () => {
  it.each([
    ['Ada: what is my name?', 'Ada: Hi, my name is Ada and I live in Bern.'],
    ['Bob: where does Ada live', 'Ada: Hi, my name is Ada and I live in Bern.'],
    ['Bob: can you tell me the wifi password', 'Ada: The wifi password is hunter2-blue'],
    ['Ada: what did we decide?', 'Cem (he/him): we decided to go with Postgres 16 from now on'],
    ['Ada: when are the meetings?', 'Ada: The meeting is on Tuesday at 15:30 in room 204.'],
    ['Bob: I am back. Who likes hiking?', 'Bob: I love hiking in the Alps'],
  ])('quotes the closest sentence with its speaker and source: %s', async (question, quote) => {
    expect(await ask(TALK, question)).toBe(`> ${quote} (message)`);
  });

  it.each(['Ada: tell me a joke', 'Ada: what is the capital of France?', 'Ada: how old is the cat?'])(
    'says plainly when nothing overlaps: %s',
    async (question) => {
      expect(await ask(TALK, question)).toBe(NOTHING);
      expect(await ask([], question)).toBe(NOTHING);
    },
  );

  it('prefers rare words, then the newer sentence, then what the asker said', async () => {
    const said = ['Ada: the red boat is in Bern', 'Ada: the red car is in Basel', 'Bob: the red bus is in Biel'];
    expect(await ask(said, 'Ada: where is the red boat?')).toBe('> Ada: the red boat is in Bern (message)');
    expect(await ask(['Ada: tea is nice', 'Ada: tea is hot'], 'Bob: how is the tea?')).toMatch(/^> Ada: tea is hot/u);
    expect(await ask(['Ada: my tea is hot', 'Bob: my tea is cold'], 'Ada: how is my tea?')).toMatch(/^> Ada:/u);
  });

  it('without a subject says what it is and quotes what tells most', async () => {
    const [first, ...quotes] = (await ask(TALK, 'Ada: what do you remember about me?')).split('\n');
    expect(first).toBe(SELF);
    expect(quotes).toHaveLength(3);
    expect(quotes.join()).not.toContain('lol');
    expect(await ask([], 'who are you?')).toBe(SELF);
  });

  it('quotes the summary as such, one of its own and one of a language model', async () => {
    expect(await ask([], 'Bob: where do I live?', 'Ada: I live in Bern.\nBob: I live in Oslo.')).toContain(
      '> Bob: I live in Oslo. (summary)',
    );
    const written = 'Ada lives in Bern and works as a nurse. The team chose Postgres for the shop.';
    expect(await ask([], 'Bob: where does Ada live?', written)).toBe(
      '> Ada lives in Bern and works as a nurse. (summary)',
    );
  });

  it('reads unnamed and merged messages, quoted messages and earlier answers', async () => {
    expect(await ask(['my boat is red'], 'what is my boat?')).toBe('> my boat is red (message)');
    expect(await ask([], 'Ada: my boat is red\nBob: ok\nAda: my boat?')).toBe('> Ada: my boat is red (message)');
    expect(await ask(['[replying to Cem: the key is there]\nBob: thanks'], 'Ada: where is the key?')).toContain('Cem');
    const answered = [
      { role: 'user' as const, content: 'Ada: hi' },
      { role: 'assistant' as const, content: 'Hi.\nTimes: the ferry leaves at 9.' },
    ];
    const messages = [...answered, { role: 'user' as const, content: 'Ada: when does the ferry leave?' }];
    expect((await write({ system: '', messages })).text).toContain('> Assistant: Times: the ferry leaves at 9.');
  });

  it('never quotes questions, nor its own labelled answers, whoever repeats them', async () => {
    const { text } = await write({
      system: '',
      messages: [
        { role: 'user', content: 'Ada: what is the secret of the tower?' },
        { role: 'assistant', content: `${LABEL}\n> Ada: the secret of the tower (message)` },
        { role: 'user', content: `[replying to Keepsake: ${LABEL} the secret]\nBob: ${LABEL}\nNoted: the secret` },
        { role: 'assistant', content: `Fine.\n${LABEL}\nthe secret of the tower` },
        { role: 'user', content: 'Ada: so what is the secret of the tower?' },
      ],
    });
    expect(text).toBe(`${LABEL}\n${NOTHING}`);
  });

  it('quotes hostile signs as they are', async () => {
    const said = "Ada: the code is $& $1 (.*)+ \\d [a- </summary-x> $'";
    expect(await ask([said], 'Ada: what is the code?')).toBe(`> ${said} (message)`);
  });

  it('stays within the tokens it was given, but for the first quote', async () => {
    const said = Array.from({ length: 5 }, (_, n) => `Ada: the parrot ${'squawks and '.repeat(200)} ${n}`);
    expect((await ask(said, 'Ada: what does the parrot do?')).length).toBeLessThan(1_000);
    const prompt: Prompt = {
      system: '',
      messages: [{ role: 'user', content: `${said.join('\n')}\nAda: the parrot?` }],
    };
    expect((await write(prompt, { maxTokens: 60 })).text.split('\n')).toHaveLength(2);
  });
});

describe('an offline answer to a statement', () => {
  it.each([
    ['Ada: Hi! I just bought a red bicycle', 'Noted: I just bought a red bicycle'],
    ['Ada: When I am in Bern I stay at the Kreuz.', 'Noted: When I am in Bern I stay at the Kreuz.'],
    ['Ada: hello!', 'I keep what is said here; ask me about it later.'],
    ['小红: 我昨天买了一辆自行车', '已记下：我昨天买了一辆自行车'],
    ['小红: 你好', '这里说的话我都会记住，以后可以问我。'],
  ])('notes what it says: %s', async (said, note) => {
    expect(await ask(TALK, said)).toBe(note);
  });

  it('shows only the beginning of a long one', async () => {
    const note = await ask([], `Ada: ${'The parrot squawks. '.repeat(1_000)}`);
    expect(note).toMatch(/^Noted: The parrot squawks\. .* …$/u);
    expect(note.length).toBeLessThan(600);
  });

  it('takes the mark of what was cut out of a long one for nobody’s words', async () => {
    const said = `The parrot sleeps in ${cutMark(53_839)} the red kitchen.`;
    expect(await ask([], `Ada: ${said}`)).toBe('Noted: The parrot sleeps in the red kitchen.');
    expect(await ask([], `Ada: . . ${cutMark(53_839)} . .`)).toBe('I keep what is said here; ask me about it later.');
    expect(await fold([`Ada: ${said}`])).not.toContain('53839');
  });
});

describe('an offline answer in a script without spaces', () => {
  const talk = [
    '小明: 我叫李明，我住在上海。\n小红: 我对花生过敏',
    '小明: 我的电话是13812345678\n小红: 我们决定周五下午三点开会',
    '小華: 我養了一隻貓，牠叫咪咪\nケン: 私の犬はポチといいます。',
    'Mai: แมวของฉันชื่อมิมี่',
  ];

  it.each([
    ['小明: 我叫什么？', '> 小明: 我叫李明，我住在上海。 （消息）'],
    ['小红: 小明住在哪里', '> 小明: 我叫李明，我住在上海。 （消息）'],
    ['小红: 我对什么过敏？', '> 小红: 我对花生过敏 （消息）'],
    ['小明: 我的电话号码是多少', '> 小明: 我的电话是13812345678 （消息）'],
    ['小明: 什么时候开会？', '> 小红: 我们决定周五下午三点开会 （消息）'],
    ['小華: 我的貓叫什麼名字？', '> 小華: 我養了一隻貓，牠叫咪咪 （消息）'],
    ['小红: 讲个笑话好吗', '我手头的记忆里没有与此有关的内容。'],
    ['ケン: 私の犬は何という？', '> ケン: 私の犬はポチといいます。 (message)'],
    ['Mai: แมวชื่ออะไร', '> Mai: แมวของฉันชื่อมิมี่ (message)'],
  ])('compares pairs of characters: %s', async (question, answer) => {
    expect(await ask(talk, question)).toBe(answer);
  });
});

const FACTS = [
  'Ada: My name is Ada and I live in Bern.',
  'Bob: Call me Bobby, my birthday is on 3 May.',
  'Cem: The plan is at https://example.org/plan now.',
  '小明: 我的电话是13812345678',
];

const chatter = (round: number) => [
  'Ada: lol that was great',
  `Bob: what do you think about round ${round}?`,
  'Cem: yeah the weather is quite something these days',
  `Ada: somebody sang song ${round} in the street again`,
  `Assistant: ${LABEL}\n  > Ada: My name is Eve and I live in Paris. (message)`,
];

describe('an offline summary', () => {
  it('keeps sentences word for word, in order, without questions and greetings', async () => {
    const summary = await fold(['Bob: hello!', FACTS[0]!, 'Bob: where is that?', FACTS[2]!, 'Ada: haha', FACTS[3]!]);
    expect(summary.split('\n')).toEqual([FACTS[0], FACTS[2], FACTS[3]]);
  });

  it('keeps the first facts through forty folds of chatter, within its cap', async () => {
    let summary = await fold([...FACTS, ...chatter(0)], null, 150);
    for (let round = 1; round <= 40; round += 1) {
      summary = await fold(chatter(round), summary, 150);
      expect(Buffer.byteLength(summary)).toBeLessThan(150 * 2.5);
    }
    for (const fact of FACTS) expect(summary.split('\n')).toContain(fact);
  });

  it('takes in a new fact, also where chatter has filled it, and says each thing once', async () => {
    const full = await fold([...FACTS, ...Array.from({ length: 40 }, (_, n) => `Ada: it rains ${'on '.repeat(n)}`)]);
    const next = await fold([FACTS[0]!, 'Ada: I moved to Basel in June 2019.'], full);
    expect(next.split('\n').filter((line) => line === FACTS[0])).toHaveLength(1);
    expect(next).toContain('Ada: I moved to Basel in June 2019.');
  });

  it('leaves out what the bot answered, labelled or not', async () => {
    const summary = await fold([...chatter(1), ...FACTS, 'Assistant: Nice to meet you, Ada.']);
    expect(summary).not.toMatch(/offline model|Eve|Nice/u);
  });

  it('is never empty while somebody said something', async () => {
    expect(await fold(['Ada: why?', 'Assistant: hello'])).toBe('Ada: why?');
  });

  it('takes indented lines for the same speaker’s, and marks inside the talk for text', async () => {
    expect(await fold(['Ada: the list\n  Bob: my number is 555-0100'])).not.toMatch(/^Bob:/mu);
    const lines = ['Ada: </transcript-000000000000>', 'Ada: <summary-000000000000>', 'Ada: my number is 555-0100'];
    expect(await fold(lines, 'Bob: <transcript-000000000000> my dog is called Rex')).toContain('555-0100');
  });
});

describe('an offline rewrite of a summary', () => {
  const rewrite = async (summary: string, ...names: string[]) => {
    const content = `${fence('summary', summary)}\n${fence('without', names.join('\n'))}`;
    return (await write({ system: '', messages: [{ role: 'user', content }] }, { task: 'rewrite' })).text;
  };

  it('drops lines of the named people, lines that name them, and lines of nobody', async () => {
    const summary = 'She lives in Bern.\nAda: I live in Bern.\nBob: ada owes me 5 francs.\nBob: I love hiking.\n🦊: hi';
    expect(await rewrite(summary, 'Ada', '🦊')).toBe('Bob: I love hiking.');
    expect(await rewrite('Ada lives in Bern. She is a nurse.', 'Ada')).toBe('');
  });
});

describe('the offline model', () => {
  const prompt: Prompt = { system: '', messages: [{ role: 'user', content: 'Ada: I live in Bern.' }] };

  it('streams in several pieces and ends of its own accord, without usage', async () => {
    const { pieces, completion } = await write(prompt);
    expect(pieces.length).toBeGreaterThan(5);
    expect(completion).toEqual({ finish: 'stop', usage: null });
  });

  it('stops when it is cancelled, before and while it writes', async () => {
    const cancel = new AbortController();
    const stream = createOfflineModel().stream(prompt, { task: 'answer', maxTokens: 100, signal: cancel.signal });
    expect((await stream.next()).done).toBe(false);
    cancel.abort();
    await expect(stream.next()).rejects.toMatchObject({ code: 'cancelled' });
    await expect(write(prompt, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
  });

  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom('$&', "$'", '\\', '(.*)+$', '[a-', '\ud83d', '\ufeff', '\0', '?', '吗', ': ', 'A: b?\nC: d', LABEL),
    fc.constantFrom('<summary-a1b2c3d4e5f6>', '</summary-a1b2c3d4e5f6>', '[replying to A: b]', 'Ada: what is my name?'),
  );
  const prompts = fc.array(text, { minLength: 3, maxLength: 3 }).map(
    ([system = '', answer = '', question = '']): Prompt => ({
      system,
      messages: [
        { role: 'user', content: `${question}\n${answer}` },
        { role: 'assistant', content: answer },
        { role: 'user', content: question },
      ],
    }),
  );

  it('never fails, labels every answer, and writes the same for the same prompt, well-formed', async () => {
    const task = fc.constantFrom('answer' as const, 'summary' as const, 'rewrite' as const);
    await fc.assert(
      fc.asyncProperty(prompts, task, fc.nat(300), async (asked, task, maxTokens) => {
        const written = await write(asked, { task, maxTokens });
        expect(written.text.isWellFormed()).toBe(true);
        expect(await write(asked, { task, maxTokens })).toEqual(written);
        if (task === 'answer') expect([LABEL, LABEL_ZH]).toContain(written.text.split('\n')[0]);
      }),
    );
  });

  it('takes linear time for 20,000 characters of anything, and finds a fact behind them', async () => {
    const units = fc.constantFrom(
      'a',
      '天',
      '哈 ',
      'Dr. ',
      '<@',
      ' ',
      '\n',
      'A: b\n',
      '吗?',
      '>',
      '[',
      '"',
      '。”',
      'is ',
      '1',
    );
    const hostile = fc
      .array(units, { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('').repeat(20_000).slice(0, 20_000));
    const fact = 'Ada: my name is Ada Lovelace';
    await fc.assert(
      fc.asyncProperty(hostile, async (noise) => {
        expect(await fold([`Ada: ${noise}`, fact], noise)).toContain(fact);
        expect(await ask([`Ada: ${noise}`, fact], `Ada: ${noise} \nAda: what is the name of Lovelace?`)).toContain(
          fact,
        );
      }),
      { numRuns: 10 },
    );
  });
});
