import { type Session, terminalSession } from '../conversation/session.js';

/** How a session is named on the command line, for messages. */
export const SESSION_FORMS = '"NAME" or "terminal:NAME" of a terminal chat, or "discord:CHANNEL ID"';

/** The session that is named, a bare name being a terminal chat's as in `npm run chat`; null when it cannot be one. */
export function sessionNamed(given: unknown, serverId: string | null = null): Session | null {
  const [, kind = 'terminal', name = ''] =
    /^(?:(terminal|discord):)?([\p{L}\p{N}._-]{1,64})$/u.exec(String(given ?? '')) ?? [];
  if (name === '') return null;
  if (kind === 'terminal') return terminalSession(name);
  return /^\d+$/u.test(name) ? { id: `discord:${name}`, parentId: null, serverId } : null;
}
