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

/** An interaction with all that a handler needs to translate it. */
export type Call<I extends RepliableInteraction = RepliableInteraction> = {
  ctx: BotContext;
  interaction: I;
  place: Place;
  words: Words;
};

/** A slash command that was given: its full name and its checked options. */
export type CommandCall = Call<ChatInputCommandInteraction> & { name: CommandName; options: OptionValues };

/** A button that was pressed by its owner in time; `what` is what it stands for. */
export type ButtonCall = Call<ButtonInteraction> & { what: string };

/** A form that was sent by its owner; `what` is what it was opened for. */
export type FormCall = Call<ModalSubmitInteraction> & { what: string };

/** How a command is answered first: to all, to the asker alone, or by a form. */
type FirstReply = 'public' | 'private' | 'form';

/** A top-level slash command: what Discord is told of it, and what happens when it is given. */
export type SlashCommand = {
  data: RESTPostAPIChatInputApplicationCommandsJSONBody;
  /** How the named command is answered first; its deferral has been sent when `execute` runs, but for a form. */
  firstReply: (name: CommandName) => FirstReply;
  execute: (call: CommandCall) => Promise<void>;
  /** Suggests values of an option while it is typed. */
  suggest?: (ctx: BotContext, interaction: AutocompleteInteraction) => Promise<void>;
};

/** What happens when a button is pressed: its message is changed, or the one who pressed is answered in private. */
export type Button = { firstReply: 'update' | 'private'; press: (call: ButtonCall) => Promise<void> };

/** What happens when a form is sent; it is answered in private. */
export type Form = { submit: (call: FormCall) => Promise<void> };
