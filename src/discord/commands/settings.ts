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
import { cut, escapeMarkup, inlineCode } from '../shared/format.js';
import { editDeferredReply, NO_PINGS } from '../shared/respond.js';
import { chooseScope, requireRight } from './authorization.js';
import { buildCommand } from './build.js';
import type { Call, CommandCall, ModalCall, ModalHandler, SlashCommand } from './command.js';
import { MAX_LIFETIME_MS, writeCustomId } from './custom-id.js';

/** `/settings`: changes how the bot behaves in a server, channel or thread. */
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

/** A setting that `/settings` changes. */
type SettingName = (typeof SETTING_NAMES)[number];

/** Renders a setting's value; a long persona is cut visibly. */
function settingValue(words: Words, settings: ResolvedSettings, name: SettingName, limit = 200): string {
  switch (name) {
    case 'persona':
      return cut(escapeMarkup(settings.persona.value), limit, words.report.cut);
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

/** One sentence that tells the value in force of a setting, and the scope that set it. */
function inForce(words: Words, settings: ResolvedSettings, name: SettingName): string {
  const origin = words.origins[settings[name].origin];
  return words.settings.inForce(words.choices[name], settingValue(words, settings, name), origin);
}

/** The most characters of a persona in a field of the embed. */
const PERSONA_FIELD_LENGTH = 900;

/** `/settings show`: shows every value in force here, and the scope that set it. */
async function showSettings(call: CommandCall): Promise<void> {
  const { ctx, interaction, place, words } = call;
  requireRight(call, 'show');
  const { chatbot } = ctx;
  const [settings, { strategyText }] = [await chatbot.settings(place.session), await chatbot.report(place.session)];
  const origin = (name: keyof typeof settings) => words.origins[settings[name].origin];
  const fields = SETTING_NAMES.map((name) => ({
    name: words.choices[name],
    value: `${settingValue(words, settings, name, PERSONA_FIELD_LENGTH)} (${origin(name)})`,
    inline: name !== 'persona',
  }));
  const strategy = { name: words.settings.strategy, value: `${inlineCode(strategyText)} (${origin('strategy')})` };
  const embed = new EmbedBuilder().setTitle(words.settings.heading).addFields(strategy, ...fields);
  await editDeferredReply(interaction, { embeds: [embed] });
}

/** `/settings model`, `temperature`, `listen`, `respond`, `vision`, `language`: changes one value of a scope. */
async function changeSetting(call: CommandCall): Promise<void> {
  const { ctx, interaction, place, name } = call;
  const key = name.slice('settings '.length) as SettingName;
  const { scope, scopeId } = chooseScope(call, call.options.scope);
  const value = valueToStore(call, key, call.options[key]);
  const before = await ctx.chatbot.settings(place.session);
  // An unchanged value keeps its time, so that nobody is told anew that all messages are stored.
  const { [key]: own } = await ctx.chatbot.settings({ id: scopeId, parentId: null, serverId: null });
  if (own.origin !== 'here' || own.value !== value) await ctx.chatbot.set(scopeId, key, value);
  const after = await ctx.chatbot.settings(place.session);
  const words = wordsIn(after.language.value, interaction.locale);
  await editDeferredReply(interaction, [words.settings.saved[scope], inForce(words, after, key)].join('\n'));
  const turnedOn = key === 'listen' && value === 'all';
  await announceListening({ ...call, words }, before, after, turnedOn);
}

/** Checks and converts an option's value. @throws {CommandError} for models that are not allowed, and where messages cannot be read. */
function valueToStore(call: CommandCall, key: SettingName, given: OptionValues[string] | undefined): unknown {
  if (key === 'model') requireAllowedModel(call, given);
  if (!call.ctx.options.messageContent && (given === 'all' || given === 'always')) {
    throw new CommandError('not-allowed', call.words.refusals.needsMessageContent(`${key}:${given}`));
  }
  return key === 'vision' ? given === 'on' : given;
}

/** Refuses models that the owner does not allow; suggestions do not bind Discord's clients. @throws {CommandError} */
function requireAllowedModel({ ctx, words }: Call, model: unknown): void {
  const allowed = ctx.options.allowedModels;
  if (allowed.some((each) => each === model)) return;
  throw new CommandError('bad-option', words.refusals.modelNotAllowed(cut(allowed.join(', '), 1_500)));
}

/** Discord's limits of suggestions and of a choice's value. */
const MAX_SUGGESTIONS = 25;
const MAX_VALUE_LENGTH = 100;

/** Suggests the allowed models whose names contain what was typed so far. */
async function suggestModels(ctx: BotContext, interaction: AutocompleteInteraction): Promise<void> {
  const typed = interaction.options.getFocused().toLowerCase();
  const fits = (model: string) => model.length <= MAX_VALUE_LENGTH && model.toLowerCase().includes(typed);
  const models = ctx.options.allowedModels.filter(fits).slice(0, MAX_SUGGESTIONS);
  await interaction.respond(models.map((model) => ({ name: model, value: model })));
}

/** `/settings reset`: removes one or all values of a scope, so that the next wider scope decides again. */
async function resetSettings(call: CommandCall): Promise<void> {
  const { ctx, interaction, place, options } = call;
  const { scope, scopeId } = chooseScope(call, options.scope);
  const names = SETTING_NAMES.filter((name) => options.setting === name || options.setting === 'everything');
  const before = await ctx.chatbot.settings(place.session);
  for (const name of names) await ctx.chatbot.set(scopeId, name, undefined);
  const after = await ctx.chatbot.settings(place.session);
  const words = wordsIn(after.language.value, interaction.locale);
  const lines = [words.settings.removed[scope], ...names.map((name) => inForce(words, after, name))];
  await editDeferredReply(interaction, lines.join('\n'));
  await announceListening({ ...call, words }, before, after, false);
}

/** Announces in the channel that all its messages are stored from now on, when a change has turned that on. */
async function announceListening(
  { ctx, interaction, place, words }: Call,
  before: ResolvedSettings,
  after: ResolvedSettings,
  turnedOn: boolean,
): Promise<void> {
  const begins = before.listen.value !== 'all' && after.listen.value === 'all';
  if (!begins && !turnedOn) return;
  // A follow-up is shown even where the bot may not write.
  await announceListeningWith(ctx, place.session, after.listen.since, () =>
    interaction.followUp({ content: words.settings.listeningToAll, allowedMentions: NO_PINGS }),
  );
}

/** The most characters of a persona. */
const MAX_PERSONA_LENGTH = 2_000;

const FIELD = 'persona';

/** `/settings persona`: opens a form, which Discord takes as the first response only, with the present persona in it. */
async function openPersonaForm(call: CommandCall): Promise<void> {
  const { ctx, interaction, place, words } = call;
  const { scope } = chooseScope(call, call.options.scope);
  const { persona } = await ctx.chatbot.settings(place.session);
  const until = ctx.clock() + MAX_LIFETIME_MS;
  const input = new TextInputBuilder()
    .setCustomId(FIELD)
    .setStyle(TextInputStyle.Paragraph)
    .setPlaceholder(words.persona.placeholder)
    .setMaxLength(MAX_PERSONA_LENGTH)
    .setRequired(true);
  if (persona.origin !== 'default') input.setValue(persona.value);
  const label = new LabelBuilder().setLabel(words.persona.label).setTextInputComponent(input);
  const customId = writeCustomId({ kind: 'persona', what: scope, owner: interaction.user.id, until });
  const form = new ModalBuilder().setCustomId(customId).setTitle(words.persona.title).addLabelComponents(label);
  await interaction.showModal(form);
}

/** Sets the persona of a submitted form, which may have been forged. */
export const personaModalHandler: ModalHandler = { submit };

async function submit(call: ModalCall): Promise<void> {
  const { ctx, interaction, place, words } = call;
  const { scope, scopeId } = chooseScope(call, call.what);
  const persona = personaOf(call);
  await requireFittingPersona(call, persona);
  await ctx.chatbot.set(scopeId, 'persona', persona);
  const after = await ctx.chatbot.settings(place.session);
  await editDeferredReply(interaction, [words.settings.saved[scope], inForce(words, after, 'persona')].join('\n'));
}

function personaOf({ interaction, words }: ModalCall): string {
  const field = interaction.fields.fields.get(FIELD);
  const persona = (field !== undefined && 'value' in field ? String(field.value) : '').toWellFormed().trim();
  if (persona === '') throw new CommandError('bad-option', words.persona.empty);
  if (persona.length <= MAX_PERSONA_LENGTH) return persona;
  throw new CommandError('bad-option', words.persona.tooLong(persona.length, MAX_PERSONA_LENGTH));
}

/** Refuses a persona of more than a quarter of the model's context. @throws {CommandError} with the estimate and the limit. */
async function requireFittingPersona({ ctx, place, words }: Call, persona: string): Promise<void> {
  const most = Math.floor((await ctx.chatbot.report(place.session)).contextWindow / 4);
  const tokens = estimateTokens(persona);
  if (tokens > most) throw new CommandError('bad-option', words.persona.tooLarge(tokens, most));
}

/** Estimates a text's tokens: three Latin characters make one, each character of other scripts may be one. */
function estimateTokens(text: string): number {
  const characters = [...text];
  const latin = characters.filter((character) => character.charCodeAt(0) < 0x250).length;
  return Math.ceil(latin / 3) + characters.length - latin;
}
