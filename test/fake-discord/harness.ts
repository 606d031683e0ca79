import { Client, type ClientOptions, Events, GatewayIntentBits, Partials } from 'discord.js';
import { onTestFinished } from 'vitest';
import { type FakeDiscord, type FakeDiscordOptions, startFakeDiscord } from '../support/fake-discord/index.js';

type Address = Pick<FakeDiscord, 'api' | 'token'>;

/** The intents that most of these tests ask for. */
export const INTENTS = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.MessageContent,
  GatewayIntentBits.GuildMessageReactions,
];

/** A fake Discord that ends with the test. */
export async function openDiscord(options: Partial<FakeDiscordOptions> = {}): Promise<FakeDiscord> {
  const discord = await startFakeDiscord({ heartbeatMs: 20_000, ...options });
  onTestFinished(discord.close);
  return discord;
}

/** A real client, not yet logged in, that ends with the test. */
export function createClient(discord: Address, options: Partial<ClientOptions> = {}): Client {
  const client = new Client({
    intents: INTENTS,
    partials: [Partials.Channel, Partials.Message],
    allowedMentions: { parse: [], repliedUser: false },
    ...options,
    rest: { api: discord.api, ...options.rest },
  });
  client.on(Events.Error, () => {});
  onTestFinished(() => client.destroy());
  return client;
}

/** A real client that has logged in and is ready. */
export async function readyClient(discord: Address, options: Partial<ClientOptions> = {}): Promise<Client<true>> {
  const client = createClient(discord, options);
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(discord.token);
  await ready;
  return client as Client<true>;
}

/** What a client emits next. */
export function next<T>(client: Client, event: string): Promise<T> {
  return new Promise((resolve) => client.once(event, (first: T) => resolve(first)));
}
