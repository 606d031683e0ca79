import type { Session } from '../conversation/session.js';
import type { Door } from './door.js';

/** A question by its platform id, and when it was asked, in milliseconds since 1970. */
export type Asked = { id: string; at: number };

/** Newer messages of a session among which a question is looked for; a question does not wait for more. */
const LOOK_THROUGH = 1_000;

/** Whether a question is still kept. */
export async function isRemembered(door: Door, session: Session, { id, at }: Asked): Promise<boolean> {
  return (await door.chatbot.places.platformIdsSince(session.id, at, LOOK_THROUGH)).includes(id);
}
