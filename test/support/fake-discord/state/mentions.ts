import { asObject, asStrings } from '../shared/json.js';
import type { FakeGuild, World } from './world.js';

/** Whom a text notifies. Mentions inside code are counted too, so this is never too little. */
export type Pings = { everyone: boolean; roles: string[]; users: string[]; repliedUser: string | null };

/** No notifications. */
export const NO_PINGS: Pings = { everyone: false, roles: [], users: [], repliedUser: null };

/** What a text mentions, whether or not anybody is notified. */
type Mentioned = { everyone: boolean; roles: string[]; users: string[] };

/** The mentions that stand in a text. */
export function mentionsIn(text: string): Mentioned {
  const ids = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map((match) => match[1]!))];
  return { everyone: /@(everyone|here)/.test(text), roles: ids(/<@&(\d+)>/g), users: ids(/<@!?(\d+)>/g) };
}

/** Who speaks where, as far as mentions depend on it. */
export type MentionRules = {
  /** What is parsed when nothing was said: everything in messages, users only in interactions and webhooks. */
  defaults: readonly ('users' | 'roles' | 'everyone')[];
  /** The speaker may mention everybody and every role. */
  mayMentionAll: boolean;
  guild: FakeGuild | null;
  repliedUserId: string | null;
};

/** Parsing of ordinary messages without `allowed_mentions`. */
export const MESSAGE_DEFAULTS = ['users', 'roles', 'everyone'] as const;

/** Parsing of interaction answers and webhooks without `allowed_mentions`. */
export const WEBHOOK_DEFAULTS = ['users'] as const;

/** The notifications of a text under `allowed_mentions` (undefined: the documented defaults). */
export function pingsOf(text: string, allowed: unknown, speaker: MentionRules): Pings {
  const mentioned = mentionsIn(text);
  const given = allowed !== undefined && allowed !== null;
  const form = asObject(allowed);
  const parse = given ? asStrings(form.parse) : [...speaker.defaults];
  const listed = (kind: 'users' | 'roles') => {
    const named = asStrings(form[kind]);
    return mentioned[kind].filter((id) => parse.includes(kind) || named.includes(id));
  };
  const mentionable = (id: string) => speaker.mayMentionAll || speaker.guild?.roles.get(id)?.mentionable === true;
  const pingsReply = given ? form.replied_user === true : true;
  return {
    everyone: mentioned.everyone && parse.includes('everyone') && speaker.mayMentionAll,
    roles: listed('roles').filter(mentionable),
    users: listed('users'),
    repliedUser: pingsReply ? speaker.repliedUserId : null,
  };
}

/** The mention fields of a message with these notifications; unknown users are left out as Discord does. */
export function mentionFields(world: World, pings: Pings): { userIds: string[]; roleIds: string[]; everyone: boolean } {
  const ids = pings.repliedUser === null ? pings.users : [...new Set([...pings.users, pings.repliedUser])];
  return { userIds: ids.filter((id) => world.users.has(id)), roleIds: pings.roles, everyone: pings.everyone };
}
