import { en, type Words } from './en.js';
import { zhCN } from './zh-CN.js';
import { zhTW } from './zh-TW.js';

/** Every message catalogue by its language tag. */
export const languages: Readonly<Record<'en' | 'zh-CN' | 'zh-TW', Words>> = { en, 'zh-CN': zhCN, 'zh-TW': zhTW };

/** Finds the catalogue of a locale: the exact one, else one of the same language, else English. */
export function wordsFor(locale: string): Words {
  if (Object.hasOwn(languages, locale)) return languages[locale as keyof typeof languages];
  const [language = ''] = locale.toLowerCase().split(/[-_]/u);
  if (language !== 'zh') return en;
  return /[-_](?:tw|hk|mo|hant)\b/iu.test(locale) ? zhTW : zhCN;
}
