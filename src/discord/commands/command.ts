import type {
  AutocompleteInteraction,
  ButtonInteraction,
  ChatInputCommandInteraction,
  ModalSubmitInteraction,
  RESTPostAPIChatInputApplicationCommandsJSONBody,
  RepliableInteraction,
} from 'discord.js';
import type { CommandName, OptionValues } from '../../chatbot/commands.js';
import type { Words } from '../../words/en.js';
import type { BotContext } from '../shared/context.js';
import type { Place } from '../shared/incoming.js';

/** An interaction with what every handler needs. */
export type Call<I extends RepliableInteraction = RepliableInteraction> = {
  ctx: BotContext;
  interaction: I;
  place: Place;
  words: Words;
};

/** A slash command with its full name and its checked options. */
export type CommandCall = Call<ChatInputCommandInteraction> & { name: CommandName; options: OptionValues };

/** A button that its owner pressed in time; `what` is the argument in its custom id. */
export type ButtonCall = Call<ButtonInteraction> & { what: string };

/** A form that its owner submitted; `what` is the argument in its custom id. */
export type ModalCall = Call<ModalSubmitInteraction> & { what: string };

/** The first response to a command: visible to all, to the asker alone, or a form. */
type FirstReply = 'public' | 'private' | 'form';

/** A top-level slash command: its payload for the registration, and its handler. */
export type SlashCommand = {
  data: RESTPostAPIChatInputApplicationCommandsJSONBody;
  /** The first response of the named command; the deferral has been sent when `execute` runs, but for a form. */
  firstReply: (name: CommandName) => FirstReply;
  execute: (call: CommandCall) => Promise<void>;
  /** Suggests values of an option while it is typed. */
  suggest?: (ctx: BotContext, interaction: AutocompleteInteraction) => Promise<void>;
};

/** A button's handler: it changes the button's message, or answers in private. */
export type Button = { firstReply: 'update' | 'private'; press: (call: ButtonCall) => Promise<void> };

/** Handles what a modal submits; it answers in private. */
export type ModalHandler = { submit: (call: ModalCall) => Promise<void> };
