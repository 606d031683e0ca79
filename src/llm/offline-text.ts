/** The longest sentence that is weighed or quoted, in code points; what is longer is cut at a space where there is one. */
export const LONGEST_SENTENCE = 280;

/** Where a sentence may end: a line's end, white space behind a stop, or a full-width stop. `Intl.Segmenter` is quadratic. */
const BORDER = /\n+|(?<=[.!?…؟।۔]["'”’)\]]{0,2})\s+|(?<=[。！？]["”’」』）]{0,2})(?![。！？"”’」』）])\s*/gu;
const PART = new RegExp(`[^]{1,${LONGEST_SENTENCE}}(?:\\s+|$)|[^]{1,${LONGEST_SENTENCE}}`, 'gu');
const ABBREVIATION = /(?:^|\s)(?:Dr|Mr|Mrs|Ms|Prof|St|No|Nr|Jr|vs|e\.g|i\.e)\.$/u;
const GOES_ON = /^\p{Ll}/u;
const HAN = /\p{Script=Han}/gu;
const KANA_OR_HANGUL = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const LETTER = /\p{L}/gu;

/** Splits a text into trimmed sentences, none empty and none longer than `LONGEST_SENTENCE`. */
export function sentences(text: string): string[] {
  const whole: string[] = [];
  let start = 0;
  for (const { 0: border, index } of text.matchAll(BORDER)) {
    const end = index + border.length;
    const before = text.slice(Math.max(start, index - 8), index);
    const stays = ABBREVIATION.test(before) || (before.endsWith('.') && GOES_ON.test(text.slice(end, end + 2)));
    if (stays && !border.includes('\n')) continue;
    whole.push(text.slice(start, index));
    start = end;
  }
  whole.push(text.slice(start));
  return whole.flatMap((sentence) => (sentence.match(PART) ?? []).map((part) => part.trim())).filter(Boolean);
}

/** Whether a text is to be answered in Chinese: a third of its letters are Han, and none Japanese or Korean. */
export function isChinese(text: string): boolean {
  const han = text.match(HAN)?.length ?? 0;
  return han > 0 && han * 3 >= (text.match(LETTER)?.length ?? 0) && !KANA_OR_HANGUL.test(text);
}

/** A rough upper estimate of a text's tokens: 1 for 2.5 small letters, a little over 1 for each CJK sign. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const character of text) tokens += weight(character.codePointAt(0) ?? 0);
  return Math.ceil(tokens);
}

function weight(code: number): number {
  if (code === 0x20 || (code >= 0x61 && code <= 0x7a)) return 0.4;
  if (code < 0x80) return 0.75;
  if (code < 0x800) return 1;
  if (code >= 0x2e80 && code <= 0xd7ff) return 1.1;
  return code < 0x10000 ? 1.5 : 3;
}

/** What an answer of the offline model begins with, so that nobody takes it for a language model's. */
const OFFLINE_LABEL = '[offline model: no language model is connected; quoting memory]';

/** The same for readers of Chinese. */
const OFFLINE_LABEL_ZH = '[offline model 离线模型：没有连接语言模型，以下引自记忆]';

/** Whether a text begins as the offline model's own answers do; such text is never quoted. */
export function isLabelled(text: string): boolean {
  return /^\s*\[offline model[ :]/u.test(text);
}

/** The set phrases of one language. */
export type Phrases = {
  label: string;
  nothing: string;
  noted(quote: string): string;
  heard: string;
  self: string;
  source: { message: string; summary: string };
};

const ENGLISH: Phrases = {
  label: OFFLINE_LABEL,
  nothing: 'Nothing in what I was given is about that.',
  noted: (quote) => `Noted: ${quote}`,
  heard: 'I keep what is said here; ask me about it later.',
  self: 'I am no language model, only a stand-in that keeps what is said here and quotes it.',
  source: { message: '(message)', summary: '(summary)' },
};

const CHINESE: Phrases = {
  label: OFFLINE_LABEL_ZH,
  nothing: '我手头的记忆里没有与此有关的内容。',
  noted: (quote) => `已记下：${quote}`,
  heard: '这里说的话我都会记住，以后可以问我。',
  self: '我不是语言模型，只是一个替身：记住这里说过的话，并引用它们。',
  source: { message: '（消息）', summary: '（摘要）' },
};

/** The phrases for a reader of Chinese, or else of English. */
export function phrasesFor(chinese: boolean): Phrases {
  return chinese ? CHINESE : ENGLISH;
}

/** What somebody said, as a prompt has it; the speaker is empty when the prompt names none. */
export type Said = { speaker: string; text: string; source: 'message' | 'summary' };

/**
 * How lines follow each other: merged messages of a prompt, the summariser's transcript (where lines that go on are
 * indented), or a summary (where every line stands for itself).
 */
type Layout = 'messages' | 'transcript' | 'summary';

/** How the summariser's transcript names the bot. */
export const ASSISTANT = 'Assistant';

const QUOTED = /^\[replying to ([^\n:]{1,80}): (.*)\]$/u;
const SPEAKER = /^([^\s:][^:]{0,79}): (.*)$/u;
/** A name within a message's lines: up to three words that look like no other part of a text. */
const NAME_INSIDE = /^[^\s:,;!?"“”<>*#`-][^\s:,;!?"“”<>]{0,31}(?: [^\s:,;!?"“”<>]{1,31}){0,2}$/u;
/** How the offline model's own answers go on behind their label. */
const OWN_REST = /^\s*(?:>|Noted: |已记下)/u;

/**
 * Reads the lines of a prompt back into who said what. A line without a speaker goes on with the line before it;
 * within a message only what looks like a name is one. Labelled answers of the offline model are left out.
 */
export function readLines(content: string, layout: Layout): Said[] {
  const said: Said[] = [];
  const source = layout === 'summary' ? 'summary' : 'message';
  let first = true;
  let own = false;
  for (const line of content.split('\n')) {
    const quoted = QUOTED.exec(line);
    const start = first || layout === 'summary' || (layout === 'transcript' && !line.startsWith('  '));
    first = quoted !== null;
    if (quoted !== null) {
      said.push({ speaker: quoted[1] ?? '', text: quoted[2] ?? '', source });
      own = false;
      continue;
    }
    if (own && OWN_REST.test(line)) continue;
    const next = readSpeaker(line, start, layout);
    const last = said.at(-1);
    own = isLabelled(next?.text ?? line) || (own && next === null && !start);
    if (own) continue;
    if (next !== null) said.push({ ...next, source });
    else if (start || last === undefined) said.push({ speaker: '', text: line.trim(), source });
    else last.text += `\n${line.trim()}`;
  }
  return said.filter(({ text }) => text.trim() !== '' && !isLabelled(text));
}

function readSpeaker(line: string, start: boolean, layout: Layout): { speaker: string; text: string } | null {
  const [, speaker, text] = SPEAKER.exec(start ? line.trimStart() : line) ?? [];
  if (speaker === undefined || text === undefined) return null;
  const named = start
    ? layout !== 'summary' || NAME_INSIDE.test(speaker)
    : layout === 'messages' && NAME_INSIDE.test(speaker);
  return named ? { speaker, text } : null;
}

/** Openings of a fence that are tried, so that a text full of them costs no more than a few searches. */
const FENCES_TRIED = 8;

/** The text between the first two lines that carry a name and the same mark, and what comes behind them; or null. */
export function readFence(text: string, name: string): { inside: string; after: string } | null {
  const opening = new RegExp(`^<(${name}-[\\p{L}\\p{N}_-]{1,64})>$`, 'gmu');
  let tried = 0;
  for (const match of text.matchAll(opening)) {
    const start = match.index + match[0].length;
    const closing = `\n</${match[1]}>`;
    const end = text.indexOf(closing, start);
    if (end >= 0) return { inside: text.slice(start + 1, end), after: text.slice(end + closing.length) };
    tried += 1;
    if (tried === FENCES_TRIED) break;
  }
  return null;
}

/** What a text is about, for comparing texts: each term with the weight it has in a question. */
export type Terms = ReadonlyMap<string, number>;

/** Scripts that are written without spaces, or in which words take endings on and on; they are compared by pairs. */
const PAIRED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const TOKEN = new RegExp(`(?<pair>[${PAIRED}\\p{M}]+)|[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}]*(?:['’]\\p{L}+)?`, 'gu');
const SINGLE_WEIGHT = 0.6;

const STOP_WORDS = new Set(
  `a about after again ago all also am an and any anybody anyone anything are as at back be because been before being
  but by can can't cannot conversation could chat did discuss discussed didn't do does doesn't doing don't else ever everything far for forget forgot from get
  give go going gonna got had has have haven't having he hello help her here hers hey hi him his how i i'd i'll i'm i've
  if in into is isn't it it's its just know known last let let's like list lol long many may maybe me mean mention
  mentioned mine more most much my myself need no nor not now of off ok okay on one only or other our out over own please
  quite really recall recap remember remind said same say saying says shall she should show so some someone something
  still such summarise summarize summary sum sure talk talked tell than thank thanks that that's the their them then there there's these they thing
  things think this those time to told too up us use used very want was wasn't we we'll we're well went were what what's
  when where where's which who who's whose why will with would yeah yes yet you you're your yours`.split(/\s+/u),
);

const STOP_SIGNS = new RegExp(
  [
    '什[么麼]时候|什[麼么]時候|[为為]什[么麼]|[是有]不是|有[没沒]有|能不能|会不会|還?[记記]得|还记得|知道|告[诉訴]|提醒|[请請][问問]|[关關][于於]|可以|一下',
    '叫?什[么麼]|[叫聊]|名字|[总總][结結]|回[顾顧]|怎[么麼样樣]|多少|[哪那][里裡儿兒个個天些]?|[这這][里裡个個些]?|[我你他她它咱][们們]?的?|[谁誰]',
    '[的了吗嗎呢吧啊呀是在有也都和就要会會说說几幾个個]',
  ].join('|'),
  'gu',
);

/** Words (stemmed, without stop words), and for scripts without spaces signs and pairs of signs. */
export function termsOf(text: string): Terms {
  const terms = new Map<string, number>();
  const plain = text.normalize('NFKC').toLowerCase().replace(STOP_SIGNS, ' ');
  for (const match of plain.matchAll(TOKEN)) {
    if (match.groups?.pair !== undefined) addPairs(terms, match.groups.pair);
    else if (!STOP_WORDS.has(match[0].replace('’', "'"))) terms.set(stem(match[0]), 1);
  }
  return terms;
}

function addPairs(terms: Map<string, number>, run: string): void {
  let before = '';
  for (const sign of run) {
    terms.set(sign, SINGLE_WEIGHT);
    if (before !== '') terms.set(before + sign, 1);
    before = sign;
  }
}

/** A word without its commonest English endings; equal for the forms of most regular words. */
function stem(word: string): string {
  const bare = word.replace(/['’]\p{L}*$/u, '');
  if (bare.length <= 3 || !/^[a-z]+$/u.test(bare)) return bare;
  const cut = bare.replace(/(?<=[a-z]{3})(?:ations?|ations?|ings?|ies|ied|ers?|ed|es|ic|ly|s|y|e)$/u, '');
  return cut.replace(/([bdgmnprt])\1$/u, '$1');
}
