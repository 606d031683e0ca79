import {
  type AutocompleteInteraction,
  EmbedBuilder,
  LabelBuilder,
  ModalBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { type OptionValues, SETTING_NAMES } from '../../chatbot/commands.js';
import { CommandError } from '../../conversation/errors.js';
import type { ResolvedSettings } from '../../conversation/settings.js';
import type { Words } from '../../words/en.js';
import { announceListeningWith } from '../messages/listening-notice.js';
import { type BotContext, wordsIn } from '../shared/context.js';
import { cut, inlineCode, plainText } from '../shared/format.js';
import { answer, NO_PINGS } from '../shared/respond.js';
import { chooseScope, requireRight } from './authorization.js';
import { buildCommand } from './build.js';
import type { Call, CommandCall, Form, FormCall, SlashCommand } from './command.js';
import { MAX_LIFETIME_MS, writeCustomId } from './custom-id.js';

/** Says in the channel that all its talk is remembered from now on, when a change has turned that on. */
async function announceListening(
  { ctx, interaction, place, words }: Call,
  before: ResolvedSettings,
  after: ResolvedSettings,
  turnedOn: boolean,
): Promise<void> {
  const begins = before.listen.value !== 'all' && after.listen.value === 'all';
  if (!begins && !turnedOn) return;
  // A follow-up reaches the channel even where the bot may not write.
  await announceListeningWith(ctx, place.session, after.listen.since, () =>
    interaction.followUp({ content: words.settings.listeningToAll, allowedMentions: NO_PINGS }),
  );
}

const SUGGESTIONS = 25;
const LONGEST_VALUE = 100;

/** Suggests the allowed models that contain what was typed so far. */
async function suggestModels(ctx: BotContext, interaction: AutocompleteInteraction): Promise<void> {
  const typed = interaction.options.getFocused().toLowerCase();
  const fits = (model: string) => model.length <= LONGEST_VALUE && model.toLowerCase().includes(typed);
  const models = ctx.options.allowedModels.filter(fits).slice(0, SUGGESTIONS);
  await interaction.respond(models.map((model) => ({ name: model, value: model })));
}

/** Holds a model to those that the owner allows; what was suggested need not be what was sent. @throws {CommandError} */
function requireAllowedModel({ ctx, words }: Call, model: unknown): void {
  const allowed = ctx.options.allowedModels;
  if (allowed.some((each) => each === model)) return;
  throw new CommandError('bad-option', words.refusals.modelNotAllowed(cut(allowed.join(', '), 1_500)));
}

/** A setting that `/settings` changes. */
type SettingName = (typeof SETTING_NAMES)[number];

/** A setting's value as people read it; a long persona is cut visibly. */
function settingValue(words: Words, settings: ResolvedSettings, name: SettingName, limit = 200): string {
  switch (name) {
    case 'persona':
      return cut(plainText(settings.persona.value), limit, words.report.cut);
    case 'model':
      return inlineCode(settings.model.value);
    case 'temperature':
      return String(settings.temperature.value);
    case 'vision':
      return words.choices[settings.vision.value ? 'on' : 'off'];
    case 'listen':
    case 'respond':
    case 'language':
      return words.choices[settings[name].value];
  }
}

/** One sentence on what is in force for a setting, and where it was set. */
function inForce(words: Words, settings: ResolvedSettings, name: SettingName): string {
  const origin = words.origins[settings[name].origin];
  return words.settings.inForce(words.choices[name], settingValue(words, settings, name), origin);
}

/** `/settings model`, `temperature`, `listen`, `respond`, `vision`, `language`: changes one value of a scope. */
async function changeSetting(call: CommandCall): Promise<void> {
  const { ctx, interaction, place, name } = call;
  const key = name.slice('settings '.length) as SettingName;
  const { scope, scopeId } = chooseScope(call, call.options.scope);
  const value = valueToStore(call, key, call.options[key]);
  const before = await ctx.chatbot.settings(place.session);
  // What is set already stays as it was set, so that nobody is told anew that all talk is remembered.
  const { [key]: own } = await ctx.chatbot.settings({ id: scopeId, parentId: null, serverId: null });
  if (own.origin !== 'here' || own.value !== value) await ctx.chatbot.set(scopeId, key, value);
  const after = await ctx.chatbot.settings(place.session);
  const words = wordsIn(after.language.value, interaction.locale);
  await answer(interaction, [words.settings.saved[scope], inForce(words, after, key)].join('\n'));
  const turnedOn = key === 'listen' && value === 'all';
  await announceListening({ ...call, words }, before, after, turnedOn);
}

/** The value to store. @throws {CommandError} for models that are not allowed, and where messages cannot be read. */
function valueToStore(call: CommandCall, key: SettingName, given: OptionValues[string] | undefined): unknown {
  if (key === 'model') requireAllowedModel(call, given);
  if (!call.ctx.options.messageContent && (given === 'all' || given === 'always')) {
    throw new CommandError('not-allowed', call.words.refusals.needsMessageContent(`${key}:${given}`));
  }
  return key === 'vision' ? given === 'on' : given;
}

/** Characters that a persona may have. */
const LONGEST_PERSONA = 2_000;

const FIELD = 'persona';

/** `/settings persona`: opens the form, which has to be the first answer; it begins with the persona that was set. */
async function openPersonaForm(call: CommandCall): Promise<void> {
  const { ctx, interaction, place, words } = call;
  const { scope } = chooseScope(call, call.options.scope);
  const { persona } = await ctx.chatbot.settings(place.session);
  const until = ctx.clock() + MAX_LIFETIME_MS;
  const input = new TextInputBuilder()
    .setCustomId(FIELD)
    .setStyle(TextInputStyle.Paragraph)
    .setPlaceholder(words.persona.placeholder)
    .setMaxLength(LONGEST_PERSONA)
    .setRequired(true);
  if (persona.origin !== 'default') input.setValue(persona.value);
  const label = new LabelBuilder().setLabel(words.persona.label).setTextInputComponent(input);
  const customId = writeCustomId({ kind: 'persona', what: scope, owner: interaction.user.id, until });
  const form = new ModalBuilder().setCustomId(customId).setTitle(words.persona.title).addLabelComponents(label);
  await interaction.showModal(form);
}

/** Takes the persona from the form, which may have been forged, and changes it. */
export const personaForm: Form = { submit };

async function submit(call: FormCall): Promise<void> {
  const { ctx, interaction, place, words } = call;
  const { scope, scopeId } = chooseScope(call, call.what);
  const persona = writtenPersona(call);
  await requireRoom(call, persona);
  await ctx.chatbot.set(scopeId, 'persona', persona);
  const after = await ctx.chatbot.settings(place.session);
  await answer(interaction, [words.settings.saved[scope], inForce(words, after, 'persona')].join('\n'));
}

function writtenPersona({ interaction, words }: FormCall): string {
  const field = interaction.fields.fields.get(FIELD);
  const persona = (field !== undefined && 'value' in field ? String(field.value) : '').toWellFormed().trim();
  if (persona === '') throw new CommandError('bad-option', words.persona.empty);
  if (persona.length <= LONGEST_PERSONA) return persona;
  throw new CommandError('bad-option', words.persona.tooLong(persona.length, LONGEST_PERSONA));
}

/** Holds a persona to a quarter of the model's context. @throws {CommandError} with the estimate and the limit. */
async function requireRoom({ ctx, place, words }: Call, persona: string): Promise<void> {
  const most = Math.floor((await ctx.chatbot.report(place.session)).contextWindow / 4);
  const tokens = roughTokens(persona);
  if (tokens > most) throw new CommandError('bad-option', words.persona.tooLarge(tokens, most));
}

/** A guess at a text's tokens: three Latin characters make one, of other scripts each character may be one. */
function roughTokens(text: string): number {
  const characters = [...text];
  const latin = characters.filter((character) => character.charCodeAt(0) < 0x250).length;
  return Math.ceil(latin / 3) + characters.length - latin;
}

/** `/settings reset`: removes one or all values of a scope, so that the wider one holds again. */
async function resetSettings(call: CommandCall): Promise<void> {
  const { ctx, interaction, place, options } = call;
  const { scope, scopeId } = chooseScope(call, options.scope);
  const names = SETTING_NAMES.filter((name) => options.setting === name || options.setting === 'everything');
  const before = await ctx.chatbot.settings(place.session);
  for (const name of names) await ctx.chatbot.set(scopeId, name, undefined);
  const after = await ctx.chatbot.settings(place.session);
  const words = wordsIn(after.language.value, interaction.locale);
  const lines = [words.settings.removed[scope], ...names.map((name) => inForce(words, after, name))];
  await answer(interaction, lines.join('\n'));
  await announceListening({ ...call, words }, before, after, false);
}

const PERSONA_UNITS = 900;

/** `/settings show`: every value in force here, and where it was set. */
async function showSettings(call: CommandCall): Promise<void> {
  const { ctx, interaction, place, words } = call;
  requireRight(call, 'show');
  const { chatbot } = ctx;
  const [settings, { strategyText }] = [await chatbot.settings(place.session), await chatbot.report(place.session)];
  const origin = (name: keyof typeof settings) => words.origins[settings[name].origin];
  const fields = SETTING_NAMES.map((name) => ({
    name: words.choices[name],
    value: `${settingValue(words, settings, name, PERSONA_UNITS)} (${origin(name)})`,
    inline: name !== 'persona',
  }));
  const strategy = { name: words.settings.strategy, value: `${inlineCode(strategyText)} (${origin('strategy')})` };
  const embed = new EmbedBuilder().setTitle(words.settings.heading).addFields(strategy, ...fields);
  await answer(interaction, { embeds: [embed] });
}

/** `/settings`: how the bot behaves in a server, channel or thread. */
export const settings: SlashCommand = {
  data: buildCommand('settings'),
  firstReply: (name) => (name === 'settings persona' ? 'form' : 'private'),
  execute,
  suggest: suggestModels,
};

function execute(call: CommandCall): Promise<void> {
  if (call.name === 'settings show') return showSettings(call);
  if (call.name === 'settings persona') return openPersonaForm(call);
  return call.name === 'settings reset' ? resetSettings(call) : changeSetting(call);
}
