import type { SendableChannels } from 'discord.js';
import type { Session } from '../conversation/session.js';
import type { Turn } from '../conversation/store.js';
import type { Words } from '../words/en.js';
import type { Door } from './door.js';
import { type ReplyChannel, replyChannel } from './reply-channel.js';
import { type Manner, MUTE_MS, type Told, tellIn } from './tell.js';
import { startTyping } from './typing.js';

/** Where a session is answered, how, and in which words. */
export type Room = {
  session: Session;
  words: Words;
  /** The channel in which messages of the session are looked for and marked; null where the bot has no access to it. */
  channel: SendableChannels | null;
  /** Where the answer to a turn is shown. */
  replyChannel(turn: Turn): ReplyChannel;
  /** Shows that an answer is on its way; call the result to end that. */
  startTyping(): () => void;
  /** Says one sentence about a question, in reply to it. */
  say(sentence: string, questionId: string, manner?: Manner): Promise<Told>;
  /** What is done once Discord has refused to show an answer, and would refuse any other. */
  refused(): Promise<void>;
};

/** A channel as a room: answers are replies in it, and where it refuses one it is left alone for a while. */
export function channelRoom(
  door: Pick<Door, 'mutes'>,
  given: { session: Session; channel: SendableChannels; words: Words },
): Room {
  const { channel } = given;
  return {
    ...given,
    replyChannel: () => replyChannel(channel),
    startTyping: () => startTyping(channel),
    say: (sentence, questionId, manner) => tellIn(door, channel, questionId, sentence, manner),
    refused: async () => door.mutes.mute(channel.id, MUTE_MS),
  };
}
