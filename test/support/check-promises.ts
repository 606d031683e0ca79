import { existsSync, readFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import type { APIMessage } from 'discord.js';
import { en } from '../../src/words/en.js';
import { readStore, type StoredMessage } from './check-store.js';
import type { FakeDiscord } from './fake-discord/index.js';
import type { FakeOpenAI } from './fake-openai/index.js';
import { textOf } from './fake-openai/wire.js';

/** Every text that is said in a run carries a mark that is its own and names its place: `k<place>n<number>q`. */
export const MARK = /k(\d+)n(\d+)[qr]/gu;

/** A word that was taken back by a delete, an edit or a forget, and how many requests the model had had by then. */
export type TakenBack = { word: string; requests: number };

/** A run that has ended: what both fakes saw, and the database that is left. */
export type Run = {
  discord: FakeDiscord;
  openai: FakeOpenAI;
  path: string;
  channels: readonly { id: string }[];
  takenBack?: readonly TakenBack[];
  /** What the bot wrote to its log. */
  log?: string;
};

type DeliveryRow = { sessionId: string; answerTo: string; chunk: number; messageId: string | null };

/** Compares what the fakes saw with what is stored, and names every promise that does not hold. The store must be closed. */
export function checkPromises(run: Run): string[] {
  const { messages, faults } = readStore(run.path);
  const deliveries = readDeliveries(run.path);
  return [
    ...faults.map((fault) => `P4 ${fault}`),
    ...run.channels.flatMap(({ id }) => checkChannel(run, id, messages, deliveries)),
    ...checkIsolation(run),
    ...checkTakenBack(run),
    ...checkManners(run),
  ];
}

function readDeliveries(path: string): DeliveryRow[] {
  const db = new Sqlite(path, { readonly: true, fileMustExist: true });
  try {
    const columns = 'session_id AS sessionId, answer_to AS answerTo, chunk, message_id AS messageId';
    return db.prepare(`SELECT ${columns} FROM deliveries ORDER BY session_id, answer_to, chunk`).all() as DeliveryRow[];
  } finally {
    db.close();
  }
}

/** P1, P2 and P3 in one channel. */
function checkChannel({ discord }: Run, channelId: string, stored: StoredMessage[], deliveries: DeliveryRow[]) {
  const sessionId = `discord:${channelId}`;
  const rows = stored.filter((row) => row.sessionId === sessionId);
  const visible = discord.messagesIn({ id: channelId });
  const bot = visible.filter(({ author }) => author.id === discord.botUser.id);
  const asked = visible.filter((message) => isAddressed(discord, message));
  const own = deliveries.filter((delivery) => delivery.sessionId === sessionId);
  const faults = asked.flatMap((message) => {
    const mine = bot.filter((reply) => reply.message_reference?.message_id === message.id);
    const chunks = own.filter(({ answerTo }) => answerTo === message.id);
    return [...endFaults(message, asked, bot, rows), ...answerFaults(message, mine, bot, chunks, rows)];
  });
  return faults.map((fault) => `${sessionId} ${fault}`);
}

function isAddressed(discord: FakeDiscord, { author, content, type }: APIMessage): boolean {
  return author.bot !== true && (type === 0 || type === 19) && content.includes(`<@${discord.botUser.id}>`);
}

/** P1: stored once or refused in words. P3: it has ended, and its asker can see how. */
function endFaults(message: APIMessage, asked: APIMessage[], bot: APIMessage[], rows: StoredMessage[]): string[] {
  const own = rows.filter(({ role, platformId }) => role === 'user' && platformId === message.id);
  if (own.length > 1) return [`P1 message ${message.content} is stored ${own.length} times`];
  const later = asked.filter(({ id }) => BigInt(id) >= BigInt(message.id)).map(({ id }) => id);
  const marked = (message.reactions ?? []).length > 0;
  const told = marked || bot.some((reply) => later.includes(reply.message_reference?.message_id ?? ''));
  const [row] = own;
  if (row === undefined) return told ? [] : [`P1 message ${message.content} is neither stored nor refused`];
  if (row.state === 'pending') return [`P3 message ${message.content} still waits`];
  return told ? [] : [`P3 message ${message.content} is ${row.state}, and nothing shows it`];
}

/** P2: one answer at most, which is what is stored; what else the bot says to a message is a notice. */
function answerFaults(
  message: APIMessage,
  replies: APIMessage[],
  bot: APIMessage[],
  chunks: DeliveryRow[],
  rows: StoredMessage[],
): string[] {
  const answers = replies.filter(({ content }) => !isNotice(content));
  if (answers.length > 1) return [`P2 message ${message.content} is answered ${answers.length} times`];
  const answer = rows.find(({ role, platformId }) => role === 'assistant' && platformId === message.id);
  if (answer === undefined) return [];
  const shown = chunks.flatMap(({ messageId }) => bot.find(({ id }) => id === messageId)?.content ?? []);
  const same = squeeze(shown.join('')) === squeeze(answer.text);
  return same ? [] : [`P2 message ${message.content}: shown is ${JSON.stringify(shown)}, stored ${answer.text}`];
}

const NOTICES = [
  ...Object.values(en.errors),
  en.unforeseen,
  en.chat.expired,
  en.answerStopped,
  ...Object.values(en.limits),
]
  .filter((sentence) => typeof sentence === 'string')
  .map(squeeze);

/** Whether a text is one of the sentences in which the bot speaks of itself. */
export function isNotice(content: string): boolean {
  const text = squeeze(content);
  return NOTICES.some((notice) => text.endsWith(notice)) && !MARK_ONCE.test(text);
}

const MARK_ONCE = new RegExp(MARK.source, 'u');

function squeeze(text: string): string {
  return text.replace(/\s+/gu, '');
}

/** P5: no request tells the model of two places. */
function checkIsolation({ openai }: Run): string[] {
  return openai.chats().flatMap(({ messages }, i) => {
    const text = messages.map(({ content }) => textOf(content)).join('\n');
    const places = new Set([...text.matchAll(MARK)].map(([, place]) => place));
    return places.size > 1 ? [`P5 request ${i + 1} tells of places ${[...places].join()}`] : [];
  });
}

/** P6: what was taken back is in no later request, and nowhere in the database's files. */
function checkTakenBack({ openai, path, takenBack = [] }: Run): string[] {
  const bytes = [path, `${path}-wal`].filter((file) => existsSync(file)).map((file) => readFileSync(file));
  return takenBack.flatMap(({ word, requests }) => {
    const later = openai.chats().slice(requests);
    const told = later.some(({ messages }) => messages.some(({ content }) => textOf(content).includes(word)));
    const kept = bytes.some((file) => file.includes(word));
    return [
      ...(told ? [`P6 ${word} is told to the model`] : []),
      ...(kept ? [`P6 ${word} is still in the file${rowsWith(path, word)}`] : []),
    ];
  });
}

/** Which rows hold a word; none does where only the file has kept it. */
function rowsWith(path: string, word: string): string {
  const db = new Sqlite(path, { readonly: true, fileMustExist: true });
  try {
    const found = ['messages', 'summaries'].flatMap((table) =>
      db
        .prepare<[string], Record<string, unknown>>(`SELECT * FROM ${table} WHERE text LIKE '%' || ? || '%'`)
        .all(word)
        .map((row) => `, ${table} ${JSON.stringify(row)}`),
    );
    return found.join('');
  } finally {
    db.close();
  }
}

/** P8 and the manners of a client: no text in the log, nothing asked that does not exist, hardly anything refused. */
function checkManners({ discord, log = '' }: Run): string[] {
  const unknown = discord.unknownRequests().map(({ method, path }) => `unknown request ${method} ${path}`);
  const invalid = discord.invalidRequests().length;
  const leaked = [...new Set(log.match(MARK) ?? [])].map((mark) => `P8 ${mark} is in the log`);
  return [...unknown, ...leaked, ...(invalid >= 20 ? [`${invalid} invalid requests`] : [])];
}
