import { describe, expect, it } from 'vitest';
import { ask, write } from './offline-talk.js';

const TALK = [
  'Ada: Hi, my name is Ada and I live in Bern.\nBob: Call me Bobby. My dog is called Rex.',
  'Ada: I am allergic to peanuts, so no satay for me\nBob: lol ok',
  'Ada: The wifi password is hunter2-blue\nBob: which database do we use for the shop?',
  'Cem (he/him): we decided to go with Postgres 16 from now on',
  'Ada: The meeting is on Tuesday at 15:30 in room 204.\nBob: I love hiking in the Alps',
];
const NOTHING = 'Nothing in what I was given is about that.';

describe('an offline answer', () => {
  it.each([
    ['Ada: what is my name?', '> Ada: Hi, my name is Ada and I live in Bern. (message)'],
    ['Ada: where do I live', '> Ada: Hi, my name is Ada and I live in Bern. (message)'],
    ['Bob: where does Ada live?', '> Ada: Hi, my name is Ada and I live in Bern. (message)'],
    ['Ada: what can I not eat?', '> Ada: I am allergic to peanuts, so no satay for me (message)'],
    ['Bob: can you tell me the wifi password', '> Ada: The wifi password is hunter2-blue (message)'],
    ['Ada: what did we decide?', '> Cem (he/him): we decided to go with Postgres 16 from now on (message)'],
    ['Ada: when is the meeting?', '> Ada: The meeting is on Tuesday at 15:30 in room 204. (message)'],
    ['Ada: who is Rex?', '> Bob: My dog is called Rex. (message)'],
    ['Bob: what do I like?', '> Bob: I love hiking in the Alps (message)'],
  ])('quotes what is remembered, with its speaker and source: %s', async (question, quote) => {
    expect(await ask(TALK, question)).toBe(quote);
  });

  it('finds an answer by the question that somebody else asked just before it', async () => {
    expect(await ask(TALK, 'Ada: which database is the shop on?')).toContain('Postgres 16');
  });

  it.each([
    'Ada: tell me a joke',
    'Ada: what is the capital of France?',
    'Ada: how old am I?',
    'Ada: what is my dog called?',
  ])('says plainly that nothing is remembered: %s', async (question) => {
    expect(await ask(TALK, question)).toBe(NOTHING);
  });

  it('never gives one person what another said of himself', async () => {
    const said = ['Ada: my name is Ada and I live in Bern', 'Bob: hello there everybody'];
    for (const question of ['Bob: what is my name?', 'Bob: where do I live?', 'Bob: who am I?']) {
      expect(await ask(said, question)).toBe(NOTHING);
    }
    expect(await ask(TALK, 'Bob: what is my name?')).toBe('> Bob: Call me Bobby. (message)');
  });

  it('takes the last speaker for the asker, and what stands before in the same message for talk', async () => {
    const answer = await ask([], 'Ada: my name is Ada\nBob: my name is Bob\nAda: what is my name?');
    expect(answer).toBe('> Ada: my name is Ada (message)');
  });

  it('quotes the summary as such, and who it says said it', async () => {
    const summary = 'Ada: my name is Ada and I live in Bern.\nBob: I moved to Oslo in 2019.';
    expect(await ask([], 'Bob: where do I live?', summary)).toBe('> Bob: I moved to Oslo in 2019. (summary)');
  });

  it('quotes a summary written by a language model', async () => {
    const summary = 'Ada lives in Bern and works as a nurse. The team chose Postgres for the shop.';
    expect(await ask([], 'Bob: where does Ada live?', summary)).toBe(
      '> Ada lives in Bern and works as a nurse. (summary)',
    );
    expect(await ask([], 'Ada: where do I live?', summary)).toContain('Ada lives in Bern');
  });

  it('works without names, as in a terminal', async () => {
    expect(await ask(['my name is Ada'], 'what is my name?')).toBe('> my name is Ada (message)');
  });

  it('puts the newer of two facts first', async () => {
    const answer = await ask(['Ada: I live in Bern', 'Ada: I have moved to Basel'], 'Ada: where do I live?');
    expect(answer.split('\n')[0]).toContain('Basel');
  });

  it('tells all it knows of somebody when asked for that', async () => {
    const mine = await ask(TALK, 'Ada: what do you remember about me?');
    expect(mine).toContain('live in Bern');
    expect(mine).toContain('allergic to peanuts');
    expect(mine).not.toContain('Bob:');
    expect(await ask(TALK, 'Ada: what do you know about Bob?')).toContain('Call me Bobby.');
  });

  it.each([
    ['Ada: I just bought a red bicycle', 'Noted: I just bought a red bicycle'],
    ['Ada: Remember that my car is in the garage.', 'Noted: Remember that my car is in the garage.'],
    ['Ada: hello!', 'I keep what is said here; ask me about it later.'],
  ])('takes note of what is no question: %s', async (said, note) => {
    expect(await ask(TALK, said)).toBe(note);
  });

  it('never quotes questions, nor its own labelled answers, whoever repeats them', async () => {
    const label = '[offline model: no language model is connected; quoting memory]';
    const answer = await write({
      system: 'You are Keepsake.',
      messages: [
        { role: 'user', content: 'Ada: what is the secret of the tower?' },
        { role: 'assistant', content: `${label}\n> Ada: the secret of the tower is out (message)` },
        {
          role: 'user',
          content: `[replying to Keepsake: ${label} the secret of the tower]\nBob: ${label}\n> the secret`,
        },
        { role: 'assistant', content: `Fine.\n${label}\nthe secret of the tower` },
        { role: 'user', content: 'Ada: so what is the secret of the tower?' },
      ],
    });
    expect(answer.text).toBe(`${label}\n${NOTHING}`);
  });

  it('quotes what a language model answered before, as the assistant', async () => {
    const { text } = await write({
      system: '',
      messages: [
        { role: 'user', content: 'Ada: hi' },
        { role: 'assistant', content: 'The ferry to Lausanne leaves at 9.' },
        { role: 'user', content: 'Ada: when does the ferry leave?' },
      ],
    });
    expect(text).toContain('> Assistant: The ferry to Lausanne leaves at 9. (message)');
  });

  it('reads the message that a reply points to', async () => {
    const said = ['[replying to Cem: the key is under the mat]\nBob: thanks'];
    expect(await ask(said, 'Ada: where is the key?')).toBe('> Cem: the key is under the mat (message)');
  });

  it('names no language model when asked about itself', async () => {
    expect(await ask(TALK, 'Ada: what is your name?')).toContain('no language model');
  });
});

describe('an offline answer in Chinese', () => {
  const talk = [
    '小明: 我叫李明，我住在上海。\n小红: 我对花生过敏',
    '小明: 我的电话是13812345678\n小红: 我们决定周五下午三点开会',
    '小明: 我养了一只猫，它叫咪咪\n小红: 我喜欢爬山',
  ];

  it.each([
    ['小明: 我叫什么？', '> 小明: 我叫李明，我住在上海。 （消息）'],
    ['小明: 我住在哪里', '> 小明: 我叫李明，我住在上海。 （消息）'],
    ['小红: 小明住在哪里？', '> 小明: 我叫李明，我住在上海。 （消息）'],
    ['小红: 我不能吃什么？', '> 小红: 我对花生过敏 （消息）'],
    ['小明: 我的电话号码是多少', '> 小明: 我的电话是13812345678 （消息）'],
    ['小明: 什么时候开会？', '> 小红: 我们决定周五下午三点开会 （消息）'],
    ['小明: 我的猫叫什么名字？', '> 小明: 我养了一只猫，它叫咪咪 （消息）'],
    ['小红: 我叫什么名字？', '我手头的记忆里没有与此有关的内容。'],
    ['小红: 讲个笑话好吗', '我手头的记忆里没有与此有关的内容。'],
    ['小红: 我昨天买了一辆自行车', '已记下：我昨天买了一辆自行车'],
    ['小红: 你好', '这里说的话我都会记住，以后可以问我。'],
  ])('is in Chinese and quotes as well: %s', async (question, answer) => {
    expect(await ask(talk, question)).toBe(answer);
  });

  it('understands traditional signs', async () => {
    expect(await ask(['小華: 我叫陳華，我喜歡喝茶'], '小華: 我叫什麼？')).toContain('我叫陳華');
  });
});
