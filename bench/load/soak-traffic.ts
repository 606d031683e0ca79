import type { TakenBack } from '../../test/support/check-promises.js';
import type { Stage } from './stage.js';

/** What people do in a soak: they talk, ask, change what they said and take it back. */
export type Traffic = { takenBack: TakenBack[]; end(): void };

const TICK_MS = 100;
/** Chances a tick. */
const [TALK, ASK, DELETE, EDIT] = [0.8, 0.15, 0.01, 0.01];
/** A turn that began before something was taken back may still send it, again and again, until its time is up. */
const REACHES_MS = 60_000;
const MARK = /k\d+n\d+q/u;

/** Starts talking, about ten times a second over all channels. */
export function startTraffic(stage: Stage): Traffic {
  const takenBack: TakenBack[] = [];
  const recent: string[] = [];
  const takeBack = (word: string) => {
    const entry = { word, requests: Number.POSITIVE_INFINITY };
    takenBack.push(entry);
    setTimeout(() => {
      entry.requests = stage.endpoint.openai.chats().length;
    }, REACHES_MS).unref();
  };
  const remove = (id: string) => {
    takeBack(markIn(stage, id));
    stage.discord.deleteMessage({ id });
    stage.ledger.said.delete(id);
  };
  const change = (id: string) => {
    takeBack(markIn(stage, id));
    stage.discord.edit({ id }, 'on second thoughts, never mind');
  };
  const tick = () => {
    const channel = Math.floor(Math.random() * stage.channels.length);
    const chance = Math.random();
    if (chance < TALK) recent.push(stage.talk(channel));
    else if (chance < TALK + ASK) stage.ask(channel);
    const old = recent.length > 50 ? recent.shift() : undefined;
    if (old === undefined) return;
    if (Math.random() < DELETE) remove(old);
    else if (Math.random() < EDIT) change(old);
  };
  const timer = setInterval(tick, TICK_MS);
  return { takenBack, end: () => clearInterval(timer) };
}

function markIn(stage: Stage, id: string): string {
  const channel = stage.ledger.said.get(id)?.channelId ?? '';
  const found = stage.discord.messagesIn({ id: channel }).find((message) => message.id === id);
  return MARK.exec(found?.content ?? '')?.[0] ?? 'unmarked';
}
