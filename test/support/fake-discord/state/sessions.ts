/** A gateway payload. */
export type Frame = { op: number; d: unknown; s: number | null; t: string | null };

/** The connection that a session's frames go out on. */
export type Link = { send(frame: Frame, session: string | null): void };

/** A gateway session: opened by IDENTIFY, continued by RESUME, with or without a connection. */
export type Session = {
  id: string;
  intents: number;
  shard: [id: number, count: number];
  seq: number;
  /** The newest dispatches, which RESUME replays. */
  frames: Frame[];
  link: Link | null;
  /** Guilds whose GUILD_CREATE was sent; nothing else of a guild is dispatched before it. */
  guildIds: Set<string>;
};

/** All sessions that can be resumed. */
export type Sessions = {
  open(intents: number, shard: [number, number], link: Link): Session;
  find(id: string): Session | undefined;
  all(): Session[];
  /** Ends a session: it cannot be resumed. */
  end(id: string): void;
  /** Gives a dispatch its sequence number, keeps it for RESUME, and sends it if the session is connected. */
  dispatch(session: Session, t: string, d: unknown): void;
  /** Replays the frames after `seq`. @returns false if they are no longer kept. */
  replay(session: Session, seq: number): boolean;
  /** Makes the next dispatch of an event go out several times with the same sequence number. */
  repeatNext(t: string, times: number): void;
};

/** Creates an empty set of sessions, each of which keeps at most `replayFrames` frames. */
export function createSessions(replayFrames: number): Sessions {
  const sessions = new Map<string, Session>();
  const repeats = new Map<string, number>();
  let count = 0;
  return {
    open(intents, shard, link) {
      count += 1;
      const id = `session${String(count).padStart(25, '0')}`;
      const session: Session = { id, intents, shard, seq: 0, frames: [], link, guildIds: new Set() };
      sessions.set(id, session);
      return session;
    },
    find: (id) => sessions.get(id),
    all: () => [...sessions.values()],
    end: (id) => void sessions.delete(id),
    dispatch(session, t, d) {
      session.seq += 1;
      const frame = { op: 0, t, s: session.seq, d };
      session.frames.push(frame);
      if (session.frames.length > replayFrames) session.frames.shift();
      const times = repeats.get(t) ?? 1;
      repeats.delete(t);
      for (let sent = 0; sent < times; sent += 1) session.link?.send(frame, session.id);
    },
    replay(session, seq) {
      const oldest = session.frames[0]?.s ?? session.seq + 1;
      if (seq + 1 < oldest) return false;
      for (const frame of session.frames) if ((frame.s ?? 0) > seq) session.link?.send(frame, session.id);
      return true;
    },
    repeatNext: (t, times) => void repeats.set(t, times),
  };
}

/** Returns a guild's shard by Discord's formula. */
export function shardOf(guildId: string, count: number): number {
  return Number((BigInt(guildId) >> 22n) % BigInt(count));
}
