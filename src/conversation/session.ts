/**
 * One conversation with a memory of its own. `id` is `discord:<channel or thread id>` or `terminal:<name>`;
 * `parentId` is the session of the channel that a thread belongs to; `serverId` is null in direct messages.
 */
export type Session = { id: string; parentId: string | null; serverId: string | null };

/** Lists the scopes whose settings apply to a session, nearest first: itself, the channel of a thread, the server. */
export function settingScopes(session: Session): string[] {
  const scopes = [session.id];
  if (session.parentId !== null) scopes.push(session.parentId);
  if (session.serverId !== null) scopes.push(serverScope(session.serverId));
  return scopes;
}

/** The scope id of a server's settings. */
export function serverScope(serverId: string): string {
  return `server:${serverId}`;
}

/** The scope of a person's opt-out and token budget: the server, or the direct message itself. */
export function personScope(session: Session): string {
  return session.serverId === null ? session.id : serverScope(session.serverId);
}

/** Names a session of the terminal chat; all of them share the server scope `terminal`. */
export function terminalSession(name: string): Session {
  return { id: `terminal:${name}`, parentId: null, serverId: 'terminal' };
}
