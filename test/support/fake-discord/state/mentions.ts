import { asObject, asStrings } from '../shared/json.js';
import type { FakeGuild, World } from './world.js';

/** Who is notified by a text. Mentions inside code count too: rather one too many than one too few. */
export type Pings = { everyone: boolean; roles: string[]; users: string[]; repliedUser: string | null };

/** No notifications. */
export const NO_PINGS: Pings = { everyone: false, roles: [], users: [], repliedUser: null };

/** Parses the mentions in a text, whether or not anybody is notified. */
export function mentionsIn(text: string): Omit<Pings, 'repliedUser'> {
  const ids = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map((match) => match[1]!))];
  return { everyone: /@(everyone|here)/.test(text), roles: ids(/<@&(\d+)>/g), users: ids(/<@!?(\d+)>/g) };
}

/** What decides, beside `allowed_mentions`, which mentions notify. */
export type MentionRules = {
  /** The kinds that are parsed without `allowed_mentions`. */
  defaults: readonly ('users' | 'roles' | 'everyone')[];
  /** The author has MENTION_EVERYONE, which covers all roles too. */
  mayMentionAll: boolean;
  guild: FakeGuild | null;
  repliedUserId: string | null;
};

/** What is parsed in ordinary messages without `allowed_mentions`. */
export const MESSAGE_DEFAULTS = ['users', 'roles', 'everyone'] as const;

/** What is parsed in messages of interactions and webhooks without `allowed_mentions`. */
export const WEBHOOK_DEFAULTS = ['users'] as const;

/** Computes who is notified by a text under `allowed_mentions`; undefined stands for the documented defaults. */
export function pingsOf(text: string, allowed: unknown, rules: MentionRules): Pings {
  const mentioned = mentionsIn(text);
  const given = allowed !== undefined && allowed !== null;
  const form = asObject(allowed);
  const parse = given ? asStrings(form.parse) : [...rules.defaults];
  const listed = (kind: 'users' | 'roles') => {
    const named = asStrings(form[kind]);
    return mentioned[kind].filter((id) => parse.includes(kind) || named.includes(id));
  };
  const mentionable = (id: string) => rules.mayMentionAll || rules.guild?.roles.get(id)?.mentionable === true;
  const pingsReply = given ? form.replied_user === true : true;
  return {
    everyone: mentioned.everyone && parse.includes('everyone') && rules.mayMentionAll,
    roles: listed('roles').filter(mentionable),
    users: listed('users'),
    repliedUser: pingsReply ? rules.repliedUserId : null,
  };
}

/** Returns what a message's mention fields contain; unknown users are left out, as by Discord. */
export function mentionFields(world: World, pings: Pings): { userIds: string[]; roleIds: string[]; everyone: boolean } {
  const ids = pings.repliedUser === null ? pings.users : [...new Set([...pings.users, pings.repliedUser])];
  return { userIds: ids.filter((id) => world.users.has(id)), roleIds: pings.roles, everyone: pings.everyone };
}
