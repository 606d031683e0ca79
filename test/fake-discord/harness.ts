import {
  Client,
  type ClientOptions,
  type DiscordAPIError,
  Events,
  GatewayIntentBits,
  Partials,
  type TextChannel,
} from 'discord.js';
import { onTestFinished } from 'vitest';
import { type FakeDiscord, type FakeDiscordOptions, startFakeDiscord } from '../support/fake-discord/index.js';

type Address = Pick<FakeDiscord, 'api' | 'token'>;

const INTENTS = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.MessageContent,
  GatewayIntentBits.GuildMessageReactions,
];

/** Starts a fake Discord that is closed at the end of the test. */
export async function openDiscord(options: Partial<FakeDiscordOptions> = {}): Promise<FakeDiscord> {
  const discord = await startFakeDiscord({ heartbeatMs: 20_000, ...options });
  onTestFinished(discord.close);
  return discord;
}

/** Creates a discord.js client, not logged in, that is destroyed at the end of the test. */
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

/** Creates a discord.js client, logs it in and waits until it is ready. */
export async function readyClient(discord: Address, options: Partial<ClientOptions> = {}): Promise<Client<true>> {
  const client = createClient(discord, options);
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(discord.token);
  await ready;
  return client as Client<true>;
}

/** Starts a fake Discord with a guild, a text channel and a member called ada, and a client that is ready there. */
export async function openGuild() {
  const discord = await openDiscord();
  const guild = discord.addGuild({ name: 'Workshop' });
  const channel = discord.addChannel(guild);
  const ada = discord.addUser({ name: 'ada', globalName: 'Ada' });
  discord.addMember(guild, ada);
  const client = await readyClient(discord);
  const text = client.channels.cache.get(channel.id) as TextChannel;
  return { discord, guild, channel, ada, client, text };
}

/** Resolves with the first argument of the next event of this name. */
export function nextEvent<T>(client: Client, event: string): Promise<T> {
  return new Promise((resolve) => client.once(event, (first: T) => resolve(first)));
}

/** Resolves with Discord's error code for a rejected request, else with `done`. */
export function errorCode(request: Promise<unknown>): Promise<string | number> {
  return request.then(() => 'done').catch((error: DiscordAPIError) => error.code);
}
