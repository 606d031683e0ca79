import { EmbedBuilder } from 'discord.js';
import { commandName, commandsOf } from '../../chatbot/commands.js';
import { cut } from '../shared/format.js';
import { answer } from '../shared/respond.js';
import { buildCommand } from './build.js';
import type { CommandCall, SlashCommand } from './command.js';

/** `/help`: explains how to talk with the bot, and lists every command. */
export const help: SlashCommand = { data: buildCommand('help'), firstReply: () => 'private', execute };

async function execute({ interaction, words }: CommandCall): Promise<void> {
  const commands = commandsOf('discord').map(
    (spec) => `\`/${commandName(spec)}\` ${words.commands[commandName(spec)]}`,
  );
  const text = [words.helpDiscord.intro, '', ...commands].join('\n');
  const embed = new EmbedBuilder().setTitle(words.helpDiscord.heading).setDescription(cut(text, 4_096));
  await answer(interaction, { embeds: [embed] });
}
