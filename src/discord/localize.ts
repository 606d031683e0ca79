import type { LocalizationMap } from 'discord.js';
import type { Settings } from '../conversation/settings.js';
import type { Words } from '../words/en.js';
import { languages, wordsFor } from '../words/index.js';
import type { Door } from './door.js';
import type { Place } from './place.js';

/** One text in every language but English, as Discord takes it beside the English one. */
export function localizations(pick: (words: Words) => string): LocalizationMap {
  return { 'zh-CN': pick(languages['zh-CN']), 'zh-TW': pick(languages['zh-TW']) };
}

/** The catalogue of a language setting; `auto` goes by the locale of who is spoken to. */
export function wordsIn(language: Settings['language'], locale: string): Words {
  return wordsFor(language === 'auto' ? locale : language);
}

/** The catalogue in force at a place, for somebody with a locale. */
export async function wordsAt(door: Door, place: Place, locale: string): Promise<Words> {
  return wordsIn((await door.chatbot.settings(place.session)).language.value, locale);
}
