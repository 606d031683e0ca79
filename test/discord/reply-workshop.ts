import type { SendableChannels } from 'discord.js';
import { onTestFinished, vi } from 'vitest';
import { sleep } from '../../src/conversation/clock.js';
import { createReply, type ReplyOptions } from '../../src/discord/answers/reply.js';
import { replyChannel } from '../../src/discord/answers/target.js';
import { createEditThrottle } from '../../src/discord/shared/rate-limits.js';
import { en } from '../../src/words/en.js';
import { openDiscord, readyClient } from '../fake-discord/harness.js';
import { handFedPieces, recordingChannel } from './recording-channel.js';

/** The interval between edits in these tests, in milliseconds. */
export const INTERVAL = 1_500;

/** The options of a reply to a message, with a plan that is kept nowhere. */
export function replyOptions(
  given: Partial<ReplyOptions> & Pick<ReplyOptions, 'channel' | 'editThrottle' | 'triggerId'>,
): ReplyOptions {
  return {
    words: en.reply,
    sleep,
    pausesMs: [1_000, 4_000, 10_000],
    plan: async (chunk) => ({ nonce: `${given.triggerId}.${chunk}`, messageId: null }),
    confirm: async () => {},
    onFirstText: () => {},
    remarkFor: () => null,
    ...given,
  };
}

/** A reply under a clock that only `pass` moves, for the length of one test. */
export function replyWorkshop(options: Partial<ReplyOptions> = {}, channel = recordingChannel()) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const source = handFedPieces();
  const editThrottle = createEditThrottle(INTERVAL, Date.now);
  const reply = createReply(replyOptions({ channel, triggerId: 't1', editThrottle, ...options }));
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  return {
    channel,
    editThrottle,
    source,
    reply,
    pass,
    /** Begins to deliver; resolves with the error it ends in, or null. */
    deliver: (): Promise<unknown> =>
      reply.deliver(source.pieces).then(
        () => null,
        (error: unknown) => error,
      ),
    async feed(text: string, ms: number) {
      source.push(text);
      await pass(ms);
    },
    /** Ends the text and lets all requests happen. */
    async end() {
      source.end();
      await pass(40 * INTERVAL);
    },
    shown: () => [...channel.messages.values()],
    contents: () => [...channel.messages.values()].map(({ content }) => content),
    buttons: () => [...channel.messages.values()].map(({ stoppable }) => stoppable),
    kinds: () => channel.requests.map(({ kind }) => kind),
  };
}

/** A question in a channel of a real client, and the reply to it; pauses are shortened to 30 ms. */
export async function discordReply() {
  const discord = await openDiscord();
  const channel = discord.addChannel(discord.addGuild());
  const question = discord.say(discord.addUser(), channel, 'why?');
  // A client that lets everything ping, so that the reply's own words are what counts.
  const allowedMentions = { parse: ['everyone', 'roles', 'users'] as const, repliedUser: true };
  const client = await readyClient(discord, { rest: { timeout: 300 }, allowedMentions });
  const sendable = client.channels.cache.get(channel.id) as SendableChannels;
  const shortSleep = (ms: number) => sleep(Math.min(ms, 30));
  const editThrottle = createEditThrottle(30, Date.now, shortSleep);
  const options = { channel: replyChannel(sendable), triggerId: question.id, editThrottle, sleep: shortSleep };
  const reply = createReply(replyOptions(options));
  const source = handFedPieces();
  const deliver = () =>
    reply.deliver(source.pieces).then(
      () => null,
      (error: unknown) => error,
    );
  return { discord, channel, question, reply, source, deliver };
}
