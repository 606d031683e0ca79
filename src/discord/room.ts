import type { SendableChannels } from 'discord.js';
import type { Session } from '../conversation/session.js';
import type { Words } from '../words/en.js';

/** Where a session is answered, and in which words. */
export type Room = { session: Session; channel: SendableChannels; words: Words };
