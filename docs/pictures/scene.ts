import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { APIMessage } from 'discord.js';
import {
  type FakeChannel,
  type FakeDiscord,
  type FakeUser,
  startFakeDiscord,
} from '../../test/support/fake-discord/index.js';
import { answer, type FakeOpenAI, startFakeOpenAI, stream } from '../../test/support/fake-openai/index.js';
import { botEnvironment } from '../../test/support/options.js';
import { LOGGED_IN, startProgram } from '../../test/support/program.js';

/** What Discord shows once the scene has been played. */
export type Scene = {
  /** The talk, oldest first; the last answer is still being written. */
  talk: APIMessage[];
  /** The answer to `/memory strategy window k:8`. */
  strategy: APIMessage;
  /** The answer to `/memory show`. */
  report: APIMessage;
  /** The attached gauge, a PNG. */
  gauge: Uint8Array;
};

type Cast = { discord: FakeDiscord; openai: FakeOpenAI; ada: FakeUser; ben: FakeUser; room: FakeChannel };

const over = ({ components }: APIMessage) => (components ?? []).length === 0;

/** Lets two people talk with the built bot, which is killed and started again on the way, and reads what Discord shows. */
export async function playScene(): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-pictures-'));
  const [discord, openai] = await Promise.all([startFakeDiscord({ waitMs: 60_000 }), startFakeOpenAI()]);
  const guild = discord.addGuild({ name: 'Sailing club' });
  const [ada, ben] = [discord.addUser({ name: 'Ada' }), discord.addUser({ name: 'Ben' })];
  discord.addMember(guild, ada, { permissions: ['ManageGuild'] });
  discord.addMember(guild, ben);
  const cast: Cast = { discord, openai, ada, ben, room: discord.addChannel(guild, { name: 'general' }) };
  let bot = await startBot(cast, folder);
  try {
    await plan(cast);
    bot.signal('SIGKILL');
    await bot.ended;
    bot = await startBot(cast, folder);
    return { talk: await remember(cast), ...(await lookInside(cast)) };
  } finally {
    bot.signal('SIGKILL');
    await bot.ended;
    await Promise.all([discord.close(), openai.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startBot({ discord, openai }: Cast, folder: string) {
  const env = botEnvironment({ discord, openai }, { OPENAI_MODEL: 'scripted-model', CONTEXT_WINDOW: '8192' });
  const bot = startProgram({ bin: 'start', folder, env });
  await Promise.all([bot.says(LOGGED_IN), discord.ready()]);
  return bot;
}

async function plan(cast: Cast): Promise<void> {
  const { ada, ben, discord } = cast;
  const me = discord.mention(discord.botUser);
  await ask(
    cast,
    ada,
    `${me} we sail on Saturday at nine. The boat is called Mimi and lies at berth 14.`,
    'Saturday at nine, aboard Mimi, berth 14. Who else is coming?',
  );
  await ask(
    cast,
    ben,
    `${me} I am! I bring the coffee. And no nuts on board, please: I am allergic.`,
    'Welcome aboard, Ben. Then it is:\n- **Ben** brings the coffee\n- nothing with nuts, for anyone',
  );
}

/** Asks, and catches the last answer while it is being written. */
async function remember(cast: Cast): Promise<APIMessage[]> {
  const { ben, discord, openai, room } = cast;
  let goOn = () => {};
  const paused = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const seen = 'Berth 14, Ben: look for Mimi, on Saturday at nine. You bring the coffee, and nobody brings';
  openai.script(stream(seen, { wait: paused }, ' nuts.', { finish: 'stop' }));
  const last = discord.messagesIn(room).at(-1);
  const question = discord.say(ben, room, 'Where do I have to be again, and with what?', last ? { replyTo: last } : {});
  await discord.replyTo(question, (reply) => reply.content === seen);
  const talk = discord.messagesIn(room);
  goOn();
  await discord.replyTo(question, over);
  return talk;
}

async function lookInside(cast: Cast): Promise<Omit<Scene, 'talk'>> {
  const { ada, discord, room } = cast;
  const me = discord.mention(discord.botUser);
  await ask(cast, ada, `${me} is there wind enough?`, 'I cannot see the forecast. Ask me again with a number.');
  await ask(cast, ada, `${me} four Beaufort.`, 'Then yes: a good breeze for Mimi.');
  const strategy = await discord.command(ada, room, 'memory strategy window', { k: 8 }).reply();
  const report = await discord.command(ada, room, 'memory show').reply();
  const response = await fetch(report.attachments[0]?.url ?? '');
  if (!response.ok) throw new Error(`the gauge cannot be read: ${response.status}`);
  return { strategy, report, gauge: new Uint8Array(await response.arrayBuffer()) };
}

async function ask({ discord, openai, room }: Cast, who: FakeUser, text: string, reply: string): Promise<void> {
  openai.script(answer(reply));
  await discord.replyTo(discord.say(who, room, text), over);
}
