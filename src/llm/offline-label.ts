/** What an answer of the offline model begins with, so that nobody takes it for a language model's. */
export const OFFLINE_LABEL = '[offline model: no language model is connected; quoting memory]';

/** The same for readers of Chinese. */
export const OFFLINE_LABEL_ZH = '[offline model 离线模型：没有连接语言模型，以下引自记忆]';

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
