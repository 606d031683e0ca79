import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  EmbedBuilder,
  type MessageActionRowComponentBuilder,
} from 'discord.js';
import { ownScope } from '../../conversation/session.js';
import type { Words } from '../../words/en.js';
import { answer } from '../answers.js';
import { writeCustomId } from '../custom-id.js';
import type { Place } from '../place.js';
import { plainText } from '../plain-text.js';
import { buildCommand } from './build.js';
import type { CommandCall, SlashCommand } from './command.js';

/** How long the buttons are good: as long as the message that carries them can be changed, in milliseconds. */
const BUTTONS_MS = 15 * 60_000;

/** `/privacy`: what is stored, where it goes, how long, what deletion reaches; and buttons for one's own part. */
export const privacy: SlashCommand = { data: buildCommand('privacy'), firstReply: () => 'private', execute };

/** How the place of a person's choices is called. */
export function placeName({ privacy: { places } }: Words, { session }: Place): string {
  return session.serverId === null ? places.direct : places.server;
}

async function execute(call: CommandCall): Promise<void> {
  const { door, interaction, place, words } = call;
  const { model, retentionDays } = await door.chatbot.report(place.session);
  const { optedOut } = await door.chatbot.people.optOut(ownScope(place.session), interaction.user.id);
  const { privacy: say } = words;
  const field = (name: string, value: string) => ({ name, value });
  const embed = new EmbedBuilder()
    .setTitle(say.heading)
    .addFields(
      field(say.stored, say.storedText),
      field(say.goes, say.goesText(plainText(model))),
      field(say.howLong, say.howLongText(retentionDays)),
      field(say.reach, say.reachText),
      field(say.choices, say.choicesText(placeName(words, place))),
    );
  await answer(interaction, { embeds: [embed], components: [buttons(call, optedOut)] });
}

function buttons({ door, interaction, words }: CommandCall, optedOut: boolean) {
  const button = (what: string, label: string, style: ButtonStyle) => {
    const id = { kind: 'privacy', what, owner: interaction.user.id, until: door.clock() + BUTTONS_MS };
    return new ButtonBuilder().setCustomId(writeCustomId(id)).setLabel(label).setStyle(style);
  };
  const { export: save, erase, optIn, optOut } = words.privacy;
  return new ActionRowBuilder<MessageActionRowComponentBuilder>().addComponents(
    button('export', save, ButtonStyle.Secondary),
    button('erase', erase, ButtonStyle.Danger),
    optedOut ? button('opt-in', optIn, ButtonStyle.Primary) : button('opt-out', optOut, ButtonStyle.Secondary),
  );
}
