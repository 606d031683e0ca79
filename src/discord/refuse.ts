import type { Message } from 'discord.js';
import type { Admission } from './admission.js';
import type { Door } from './door.js';
import { SILENCED_MARK } from './end-badly.js';
import { react } from './tell.js';
import { tellOnce } from './tell-once.js';

/** The mark of a question that is refused for a reason that was told lately. */
const REFUSED_MARK = '\u{270B}';
/** The mark of a question that came while the bot was away, and is too old to be answered now. */
const MISSED_MARK = '\u{1F4A4}';
/** How often a person, or a channel, is told the same reason why a question is refused, in milliseconds. */
const REFUSED_EVERY_MS = 30_000;
/** How often a place where nothing can be said shows that a question was seen, in milliseconds. */
const SILENCED_EVERY_MS = 60_000;

/** Says why a question is not answered; where that was said lately, or nothing can be said, a mark shows that it was seen. */
export async function refuse(door: Door, message: Message, addressed: boolean, admission: Admission): Promise<void> {
  const { verdict, sentence, reason } = admission;
  if (verdict === 'stale' && (addressed || isNewest(door, message))) await react(door, message, MISSED_MARK);
  if (verdict === 'refused') {
    await tellOnce(door, message, {
      key: `refused ${reason}`,
      everyMs: REFUSED_EVERY_MS,
      sentence,
      mark: REFUSED_MARK,
    });
  }
  const news = verdict === 'silenced' && door.mutes.first(`silenced ${message.channelId}`, SILENCED_EVERY_MS);
  if (news) await react(door, message, SILENCED_MARK);
}

/** Of much talk that was missed and addressed to nobody, one mark at its end says enough. */
function isNewest(door: Door, { channelId }: Message): boolean {
  return door.intake.waiting(channelId) === 0;
}
