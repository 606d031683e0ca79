import { EmbedBuilder } from 'discord.js';
import { commandName, commandsOf } from '../../chatbot/commands.js';
import { cut } from '../shared/format.js';
import { editDeferredReply } from '../shared/respond.js';
import { budget, usage } from './budget.js';
import { buildCommand } from './build.js';
import { chat } from './chat.js';
import type { Button, CommandCall, ModalHandler, SlashCommand } from './command.js';
import { cancelButton } from './confirm.js';
import { memory } from './memory.js';
import { forgetButton } from './memory-forget.js';
import { erasePersonButton, privacy, privacyButton } from './privacy.js';
import { personaModalHandler, settings } from './settings.js';

/** `/help`: explains how to talk with the bot, and lists every command. */
const help: SlashCommand = { data: buildCommand('help'), firstReply: () => 'private', execute: explainCommands };

/** Every slash command that the bot offers. */
export const slashCommands: readonly SlashCommand[] = [memory, settings, chat, budget, usage, privacy, help];

/** Every button by the kind that its custom id begins with. */
export const buttons: Readonly<Record<string, Button>> = {
  forget: forgetButton,
  keep: cancelButton,
  privacy: privacyButton,
  erase: erasePersonButton,
};

/** Every form by the kind that its custom id begins with. */
export const modalHandlers: Readonly<Record<string, ModalHandler>> = { persona: personaModalHandler };

async function explainCommands({ interaction, words }: CommandCall): Promise<void> {
  const commands = commandsOf('discord').map(
    (spec) => `\`/${commandName(spec)}\` ${words.commands[commandName(spec)]}`,
  );
  const text = [words.helpDiscord.intro, '', ...commands].join('\n');
  const embed = new EmbedBuilder().setTitle(words.helpDiscord.heading).setDescription(cut(text, 4_096));
  await editDeferredReply(interaction, { embeds: [embed] });
}
