import type { SETTING_NAMES } from '../../chatbot/commands.js';
import type { ResolvedSettings } from '../../conversation/settings.js';
import type { Words } from '../../words/en.js';
import { cut, inlineCode, plainText } from '../plain-text.js';

/** A setting that `/settings` changes. */
export type SettingName = (typeof SETTING_NAMES)[number];

/** A setting's value as people read it; a long persona is cut visibly. */
export function settingValue(words: Words, settings: ResolvedSettings, name: SettingName, limit = 200): string {
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
export function inForce(words: Words, settings: ResolvedSettings, name: SettingName): string {
  const origin = words.origins[settings[name].origin];
  return words.settings.inForce(words.choices[name], settingValue(words, settings, name), origin);
}
