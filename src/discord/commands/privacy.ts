import {
  ActionRowBuilder,
  AttachmentBuilder,
  ButtonBuilder,
  ButtonStyle,
  EmbedBuilder,
  type MessageActionRowComponentBuilder,
  MessageFlags,
} from 'discord.js';
import { CommandError } from '../../conversation/errors.js';
import type { Message } from '../../conversation/message.js';
import { personScope } from '../../conversation/session.js';
import type { Words } from '../../words/en.js';
import { escapeMarkup } from '../shared/format.js';
import { channelIdOf, displayNameOf, type Place } from '../shared/incoming.js';
import { editDeferredReply, MAX_ATTACHMENT_BYTES, NO_PINGS } from '../shared/respond.js';
import { buildCommand } from './build.js';
import type { Button, ButtonCall, CommandCall, SlashCommand } from './command.js';
import { askForConfirmation } from './confirm.js';
import { writeCustomId } from './custom-id.js';
import { explainForgetReceipt } from './memory-forget.js';

/** The buttons work as long as the message that carries them can be edited, in milliseconds. */
const BUTTONS_MS = 15 * 60_000;

/** `/privacy`: what is stored, where it goes, how long, what deletion reaches; and buttons for one's own data. */
export const privacy: SlashCommand = { data: buildCommand('privacy'), firstReply: () => 'private', execute };

/** The name of the scope of a person's choices. */
function placeName({ privacy: { places } }: Words, { session }: Place): string {
  return session.serverId === null ? places.direct : places.server;
}

async function execute(call: CommandCall): Promise<void> {
  const { ctx, interaction, place, words } = call;
  const { model, retentionDays } = await ctx.chatbot.report(place.session);
  const { optedOut } = await ctx.chatbot.people.optOut(personScope(place.session), interaction.user.id);
  const { privacy: texts } = words;
  const field = (name: string, value: string) => ({ name, value });
  const embed = new EmbedBuilder()
    .setTitle(texts.heading)
    .addFields(
      field(texts.stored, texts.storedText),
      field(texts.goes, texts.goesText(escapeMarkup(model))),
      field(texts.howLong, texts.howLongText(retentionDays)),
      field(texts.reach, texts.reachText),
      field(texts.choices, texts.choicesText(placeName(words, place))),
    );
  await editDeferredReply(interaction, { embeds: [embed], components: [buttons(call, optedOut)] });
}

function buttons({ ctx, interaction, words }: CommandCall, optedOut: boolean) {
  const button = (what: string, label: string, style: ButtonStyle) => {
    const id = { kind: 'privacy', what, owner: interaction.user.id, until: ctx.clock() + BUTTONS_MS };
    return new ButtonBuilder().setCustomId(writeCustomId(id)).setLabel(label).setStyle(style);
  };
  const { export: save, erase, optIn, optOut } = words.privacy;
  return new ActionRowBuilder<MessageActionRowComponentBuilder>().addComponents(
    button('export', save, ButtonStyle.Secondary),
    button('erase', erase, ButtonStyle.Danger),
    optedOut ? button('opt-in', optIn, ButtonStyle.Primary) : button('opt-out', optOut, ButtonStyle.Secondary),
  );
}

/** Sends all that is stored of a person's messages to them alone, as JSON Lines; in several files where one is too large. */
async function sendExport({ ctx, interaction, place, words }: ButtonCall): Promise<void> {
  const maxBytes = Math.min(MAX_ATTACHMENT_BYTES, interaction.attachmentSizeLimit);
  const flags = MessageFlags.Ephemeral;
  let count = 0;
  let number = 0;
  for await (const lines of filesOf(
    ctx.chatbot.exportPerson(personScope(place.session), interaction.user.id),
    maxBytes,
  )) {
    count += lines.length;
    number += 1;
    const name = `keepsake-export-${number}.jsonl`;
    const file = new AttachmentBuilder(Buffer.from(lines.join('')), { name });
    await interaction.followUp({ files: [file], flags, allowedMentions: NO_PINGS });
  }
  await editDeferredReply(interaction, count === 0 ? words.privacy.nothingStored : words.privacy.exported(count));
}

/** Groups messages, as lines, into files of at most `maxBytes` bytes. */
async function* filesOf(messages: AsyncIterable<Message>, maxBytes: number): AsyncGenerator<string[]> {
  let lines: string[] = [];
  let bytes = 0;
  for await (const message of messages) {
    const line = exportLine(message);
    const size = Buffer.byteLength(line);
    if (bytes + size > maxBytes && lines.length > 0) {
      yield lines;
      [lines, bytes] = [[], 0];
    }
    lines.push(line);
    bytes += size;
  }
  if (lines.length > 0) yield lines;
}

/** Of a quoted message, which somebody else wrote, only the id is exported. */
function exportLine({ sessionId, platformId, createdAt, authorName, text, quote }: Message): string {
  const line = {
    channel: channelIdOf(sessionId) ?? sessionId,
    message: platformId,
    time: new Date(createdAt).toISOString(),
    name: authorName,
    text,
    ...(quote !== null && { repliesTo: quote.platformId }),
  };
  return `${JSON.stringify(line)}\n`;
}

/** The buttons under `/privacy`; each concerns the person who presses it, in this server or direct message. */
export const privacyButton: Button = { firstReply: 'private', press };

/** Erases all messages of a person in a server or direct message, once that was confirmed. */
export const erasePersonButton: Button = { firstReply: 'update', press: erase };

function press(call: ButtonCall): Promise<void> {
  const { words, place } = call;
  switch (call.what) {
    case 'export':
      return sendExport(call);
    case 'erase':
      return askForConfirmation(call, words.forget.confirm.person(placeName(words, place)), 'erase', 'person');
    case 'opt-out':
      return choose(call, true);
    case 'opt-in':
      return choose(call, false);
    default:
      throw new CommandError('bad-option', words.buttons.unknown);
  }
}

async function choose({ ctx, interaction, place, words }: ButtonCall, optedOut: boolean): Promise<void> {
  await ctx.chatbot.people.setOptOut(personScope(place.session), interaction.user.id, optedOut, ctx.clock());
  const { optedOut: out, optedIn } = words.privacy;
  await editDeferredReply(interaction, (optedOut ? out : optedIn)(placeName(words, place)));
}

async function erase({ ctx, interaction, place, words }: ButtonCall): Promise<void> {
  const person = { id: interaction.user.id, name: displayNameOf(interaction) };
  const receipt = await ctx.chatbot.erasePerson(personScope(place.session), person);
  const none = receipt.messages + receipt.answers === 0 && receipt.summary === 'none';
  await editDeferredReply(interaction, {
    content: none ? words.forget.nothing : explainForgetReceipt(words, receipt),
    components: [],
  });
}
