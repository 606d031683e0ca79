import { setImmediate } from 'node:timers/promises';
import { ModelError } from '../conversation/errors.js';
import { withoutCutMarks } from '../conversation/message.js';
import type { ChatModel, ModelCall, Prompt, TextStream } from '../conversation/model.js';

/** A word with the white space before it; long ones, and scripts without spaces, in parts. */
const PIECE = /\s*\S{1,12}|\s+/gu;

/**
 * Creates the model that stands in when no language model is connected. It makes nothing up: it answers by quoting from
 * its prompt, under a label that says so, and folds and rewrites summaries by choosing sentences. Deterministic, linear in
 * the prompt's length; counted in the vocabulary that loads in half the time, since the first answer waits for it.
 */
export function createOfflineModel(): ChatModel {
  return { id: 'offline', encoding: 'cl100k_base', contextWindow: 8_192, safety: 0.2, stream };
}

async function* stream(prompt: Prompt, { task, maxTokens, signal }: ModelCall): TextStream {
  const write = { answer, summary: foldSummary, rewrite: rewriteSummary }[task];
  for (const [piece] of write(prompt, maxTokens).toWellFormed().matchAll(PIECE)) {
    if (signal?.aborted) throw new ModelError('cancelled', 'The answer was stopped.', { cause: signal.reason });
    yield piece;
    await setImmediate();
  }
  return { finish: 'stop', usage: null };
}

const ENGLISH = {
  label: '[offline model: no language model is connected; quoting memory]',
  nothing: 'Nothing in what I was given is about that.',
  noted: (text: string) => `Noted: ${text}`,
  received: 'I keep what is said here; ask me about it later.',
  self: 'I am no language model, only a stand-in that keeps what is said here and quotes it.',
  source: { message: '(message)', summary: '(summary)' },
};

const CHINESE: typeof ENGLISH = {
  label: '[offline model 离线模型：没有连接语言模型，以下引自记忆]',
  nothing: '我手头的记忆里没有与此有关的内容。',
  noted: (text) => `已记下：${text}`,
  received: '这里说的话我都会记住，以后可以问我。',
  self: '我不是语言模型，只是一个替身：记住这里说过的话，并引用它们。',
  source: { message: '（消息）', summary: '（摘要）' },
};

/** Answers the last message of a prompt, under a label in its language. */
function answer({ system, messages }: Prompt, maxTokens: number): string {
  const summary = readSummary(readFence(system, 'summary')?.inside ?? '');
  const said = messages.slice(0, -1).flatMap(({ role, content }) => {
    return readMessages(role === 'user' ? content : `${ASSISTANT}: ${content.replaceAll('\n', '\n  ')}`);
  });
  const newest = readMessages(messages.at(-1)?.content ?? '');
  const last = newest.pop() ?? { speaker: '', text: '', source: 'message' };
  const phrases = isChinese(last.text) ? CHINESE : ENGLISH;
  const lines = reply([...summary, ...said, ...newest].flatMap(sentencesOf), last, phrases);
  return [phrases.label, ...withinTokens(lines, maxTokens - estimateTokens(phrases.label))].join('\n');
}

const QUOTES = 3;
const LONGEST_NOTE_TOKENS = 150;

/** Answers a question with quotes, and a statement with a note. */
function reply(remembered: readonly Sentence[], last: Utterance, phrases: typeof ENGLISH): string[] {
  const sentences = sentencesOf(last);
  const questions = sentences.filter(({ isQuestion }) => isQuestion);
  if (questions.length === 0) {
    const told = sentences.filter(({ terms }) => terms.size > 0).map(({ text }) => text);
    const noted = withinTokens(told, LONGEST_NOTE_TOKENS);
    if (noted.length === 0) return [phrases.received];
    return [phrases.noted(noted.join(' ') + (noted.length < told.length ? ' …' : ''))];
  }
  const statements = distinct(remembered.filter(({ isQuestion }) => !isQuestion).reverse());
  const asked = new Map(questions.flatMap(({ terms }) => [...terms]));
  const found = asked.size === 0 ? statements.sort(byInformation) : closest(statements, asked, last.speaker);
  const quotes = found.slice(0, QUOTES).map((said) => `> ${lineOf(said)} ${phrases.source[said.source]}`);
  if (asked.size === 0) return [phrases.self, ...quotes];
  return quotes.length > 0 ? quotes : [phrases.nothing];
}

/** The share of a question's terms, by weight, that a sentence must hold to be quoted. */
const RELEVANT = 0.25;
/** A sentence that scores less than this share of the best one is not quoted beside it. */
const CLOSE = 0.8;
/** Added for the newest sentence, and for those of whoever asks: enough to decide between equals. */
const BONUS = 0.1;

/** The sentences that share most with a question, rare terms counting more; best first. Takes them newest first. */
function closest(statements: readonly Sentence[], asked: Sentence['terms'], asker: string): Sentence[] {
  const holders = new Map<string, number>();
  const candidates = statements.map((said) => {
    const terms = new Set([...said.terms.keys(), ...termsOf(said.speaker).keys()]);
    for (const term of terms) holders.set(term, (holders.get(term) ?? 0) + 1);
    return { said, terms };
  });
  const rarity = (term: string) => Math.log(1 + statements.length / (1 + (holders.get(term) ?? 0)));
  const weights = new Map([...asked].map(([term, weight]) => [term, weight * rarity(term)]));
  const sum = (terms: Iterable<string>) => [...terms].reduce((total, term) => total + (weights.get(term) ?? 0), 0);
  const whole = sum(weights.keys());
  const found = candidates.flatMap(({ said, terms }, age) => {
    const overlap = sum(terms) / whole;
    const bonus = (said.speaker === asker ? BONUS : 0) + BONUS * (1 - age / statements.length);
    return overlap < RELEVANT ? [] : [{ said, score: overlap + bonus }];
  });
  found.sort((one, other) => other.score - one.score);
  return found.filter(({ score }) => score >= (found[0]?.score ?? 0) * CLOSE).map(({ said }) => said);
}

/** A sentence that a summary already holds gives way only to one that tells so many times as much. */
const KEPT = 2;

/**
 * Folds an earlier summary and a transcript by choosing sentences: those that tell the most for their length, the
 * newest first among equals, in the order in which they were said. What the bot answered is left out.
 */
function foldSummary({ messages }: Prompt, maxTokens: number): string {
  const input = messages.at(-1)?.content ?? '';
  const earlier = readFence(input, 'summary');
  const transcript = readFence(earlier?.after ?? input, 'transcript');
  const told = readMessages(transcript?.inside ?? '').filter(({ speaker }) => speaker !== ASSISTANT);
  const kept = readSummary(earlier?.inside ?? '').flatMap(sentencesOf);
  const weighed = kept.map((said) => ({ ...said, information: said.information * KEPT }));
  const sentences = distinct([...weighed, ...told.flatMap(sentencesOf)]);
  const ranked = sentences.toReversed().sort(byInformation);
  const worthy = ranked.filter(({ information }, rank) => information > 0 || rank === 0);
  const chosen = new Set(withinTokens(worthy.map(lineOf), maxTokens));
  const lines = sentences.map(lineOf);
  return lines.filter((line) => chosen.has(line)).join('\n');
}

/**
 * Rewrites a summary without the lines that the named people said or that name them. Lines without a speaker go as
 * well, because they may be about them.
 */
function rewriteSummary({ messages }: Prompt): string {
  const summary = readFence(messages.at(-1)?.content ?? '', 'summary');
  const without = readFence(summary?.after ?? '', 'without');
  if (summary === null || without === null) return '';
  const names = without.inside.split('\n').map(comparable).filter(Boolean);
  const lines = readSummary(summary.inside).flatMap((said) => (said.speaker === '' ? [] : lineOf(said)));
  return lines.filter((line) => !names.some((name) => comparable(line).includes(name))).join('\n');
}

/** What somebody said, as a prompt has it; the speaker is empty when the prompt names none. */
type Utterance = { speaker: string; text: string; source: 'message' | 'summary' };

/** How the summarizer's transcript names the bot. */
const ASSISTANT = 'Assistant';
/** A speaker at the beginning of a line: up to three words without the signs that mark other parts of a text. */
const SPEAKER = /^([^\s:,;!?"“”<>*#`[-][^\s:,;!?"“”<>]{0,31}(?: [^\s:,;!?"“”<>]{1,31}){0,2}): (.*)$/su;
const REPLY = /^\[replying to ([^\n:]{1,80}): (.*)\]$/su;
const LABEL = /^\s*\[offline model[ :]/u;
/** How an answer of this model goes on after its label. */
const AFTER_LABEL = /^\s*(?:>|Noted: |已记下)/u;

/**
 * Reads the messages of a prompt or a transcript; a line without a speaker continues the line before it. Leaves out
 * answers of this model, whoever repeats them, so that no quote is ever quoted.
 */
function readMessages(content: string): Utterance[] {
  const said: Utterance[] = [];
  let labelled = false;
  for (const line of content.split('\n')) {
    if (labelled && AFTER_LABEL.test(line)) continue;
    const [, speaker, text = line] = REPLY.exec(line) ?? SPEAKER.exec(line) ?? [];
    const last = said.at(-1);
    labelled = LABEL.test(text) || (labelled && speaker === undefined);
    if (labelled) continue;
    if (speaker !== undefined || last === undefined) said.push({ speaker: speaker ?? '', text, source: 'message' });
    else last.text += `\n${line}`;
  }
  return said.map((each) => ({ ...each, text: withoutCutMarks(each.text) }));
}

/** Reads a summary, in which every line stands for itself. */
function readSummary(summary: string): Utterance[] {
  return summary.split('\n').map((line) => {
    const [, speaker = '', text = line] = SPEAKER.exec(line) ?? [];
    return { speaker, text: withoutCutMarks(text), source: 'summary' };
  });
}

/** Finds the text between the lines `<name-mark>` and `</name-mark>`, and what follows it. */
function readFence(text: string, name: string): { inside: string; after: string } | null {
  const opening = new RegExp(`^<(${name}-[0-9a-f]{12})>$`, 'mu').exec(text);
  if (opening === null) return null;
  const start = opening.index + opening[0].length;
  const closing = `\n</${opening[1]}>`;
  const end = text.indexOf(closing, start);
  return end < 0 ? null : { inside: text.slice(start + 1, end), after: text.slice(end + closing.length) };
}

/** A sentence of an utterance. `information` estimates how much it tells for its length; questions tell nothing. */
type Sentence = Utterance & { isQuestion: boolean; terms: ReadonlyMap<string, number>; information: number };

/** The end of a line or sentence; a full stop needs three letters before it. `Intl.Segmenter` takes quadratic time. */
const BORDER = /\n+|(?<=(?:[\p{L}\p{N}]{3}\.|[!?…؟।])["'”’)\]]?)\s+|(?<=[。！？])(?![。！？"”’」』）])/u;
/** The longest sentence is 280 characters; what is longer is cut at a space where there is one. */
const PART = /.{1,280}(?:\s+|$)|.{1,280}/gsu;
/** Questions by their mark, and by the words that ask without one in English, Chinese, Japanese and Thai. */
const QUESTIONS = [
  /[?？؟]["'”’)\]]*$/u,
  /^(?:(?:hey|hi|hello|ok|okay|so|and|but|well|please|@\S+)[,!:]?\s+){0,2}(?:(?:who|whose|what|when|where|which|why|how)\b(?!\s(?:i|we|you|he|she|it|they|the|an?)\b)|(?:is|are|am|was|were|do|does|did|can|could|will|would|should|has|have)\s(?:i|you|we|he|she|it|they|my|your|our|the|this|that|there|any)\b|(?:tell|show)\s(?:me|us)\b|summari[sz]e\b)/iu,
  /什[么麼]|怎[么麼样樣]|[啥谁誰哪]|多少|[吗嗎呢][。！]?$|[总總][结結]|か。?$|อะไร|ไหน|ไหม|ใคร/u,
];

/** Splits an utterance into sentences, none empty. */
function sentencesOf(said: Utterance): Sentence[] {
  const parts = said.text.split(BORDER).flatMap((sentence) => sentence.trim().match(PART) ?? []);
  return parts.map((part) => {
    const text = part.trimEnd();
    const isQuestion = QUESTIONS.some((pattern) => pattern.test(text));
    const terms = termsOf(text);
    return { ...said, text, isQuestion, terms, information: isQuestion || terms.size < 2 ? 0 : informationIn(text) };
  });
}

/** Numbers, links and capitalized names tell most; scripts without capitals do not show their names. */
function informationIn(sentence: string): number {
  const fact = /\p{N}|https?:\/\/|\S@\S/u.test(sentence) ? 1 : 0;
  const name = /[\p{Ll},;] \p{Lu}\p{Ll}/u.test(sentence) ? 1 : /\p{Lo}/u.test(sentence) ? 0.5 : 0;
  return (0.2 + fact + name) / Math.sqrt(estimateTokens(sentence) + 4);
}

const byInformation = (one: Sentence, other: Sentence) => other.information - one.information;

/** Scripts that are written without spaces, or whose words take many endings. */
const UNSPACED = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}]';
const TOKEN = new RegExp(`(?<run>${UNSPACED}+)|(?:(?!${UNSPACED})[\\p{L}\\p{M}\\p{N}])+`, 'gu');
/** Words that tell nothing of a subject, among them those with which people ask a memory. */
const STOP_WORDS = new Set(
  `a about again all also am an and any anything are as at be been being but by call called can conversation cool
  could d did do does doing don everything for from get go good got great haha has have he hello help her here hey
  hi his how i if in into is it its just know let ll lol m many may me mean more most much my nice no not now of ok
  okay on or our out over please re really recall remember s said say shall she should so some something still
  summarise summarize summary t talk tell than thank thanks that the their them then there these they think this
  those to told too up us ve very was we were what when where which who whose why will with would yeah yes you your`.split(
    /\s+/u,
  ),
);
const STOP_CHARACTERS =
  /[为為]?什[么麼]|怎[么麼样樣]|多少|[时時]候|名字|知道|告[诉訴]|[还還]?[记記]得|[请請][问問]|你好|好的|[我咱][们們]|[帮幫]助|一下|[总總][结結]|[对對][话話]|[谢謝哈呵嗯嗨]+|[哪那][里裡儿兒个個]?|[啥谁誰吗嗎呢吧啊的了是在有和也都很你您]/gu;

/** The terms by which texts are compared, with weights: words without endings, and pairs of unspaced characters. */
function termsOf(text: string): Map<string, number> {
  const terms = new Map<string, number>();
  for (const { 0: token, groups } of comparable(text).replace(STOP_CHARACTERS, ' ').matchAll(TOKEN)) {
    if (groups?.run === undefined) {
      if (!STOP_WORDS.has(token)) terms.set(token.replace(/(?<=\w{3})(?:ings?|ed|es|s|e)$/u, ''), 1);
      continue;
    }
    let previous = '';
    for (const character of token) {
      if (/(?!我)\p{Script=Han}/u.test(character)) terms.set(character, 0.5);
      if (previous !== '') terms.set(previous + character, 1);
      previous = character;
    }
  }
  return terms;
}

/** A text in the form in which texts are compared: compatibility forms, case and white space do not count. */
function comparable(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
}

/** Whether a text is to be answered in Chinese: a third of its letters are Han, and none Japanese or Korean. */
function isChinese(text: string): boolean {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  const other = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text);
  return han > 0 && !other && han * 3 >= (text.match(/\p{L}/gu)?.length ?? 0);
}

/** Estimates tokens, rather too many: 2.5 UTF-8 bytes each. */
function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 2.5);
}

function lineOf({ speaker, text }: Utterance): string {
  return (speaker === '' ? text : `${speaker}: ${text}`).replace(/\s+/gu, ' ');
}

/** Each sentence of a speaker once, the first one. */
function distinct(sentences: readonly Sentence[]): Sentence[] {
  const seen = new Set<string>();
  return sentences.filter(({ speaker, text }) => {
    const key = `${speaker}\n${comparable(text.replace(/[^\p{L}\p{N}]+/gu, ' '))}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** The lines that fit, in their order; the first one even if it does not. */
function withinTokens(lines: readonly string[], maxTokens: number): string[] {
  let left = maxTokens;
  return lines.filter((line, at) => {
    const cost = estimateTokens(line) + 1;
    if (at > 0 && cost > left) return false;
    left -= cost;
    return true;
  });
}
