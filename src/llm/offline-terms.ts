/** What a text is about, for comparing texts: each term with the weight it has in a question. */
export type Terms = ReadonlyMap<string, number>;

/** Scripts that are written without spaces, or in which words take endings on and on; they are compared by pairs. */
const PAIRED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const TOKEN = new RegExp(`(?<pair>[${PAIRED}\\p{M}]+)|[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}]*(?:['’]\\p{L}+)?`, 'gu');
const SINGLE_WEIGHT = 0.6;

const STOP_WORDS = new Set(
  `a about after again ago all also am an and any anybody anyone anything are as at back be because been before being
  but by can can't cannot conversation could chat did discuss discussed didn't do does doesn't doing don't else ever everything far for forget forgot from get
  give go going gonna got had has have haven't having he hello help her here hers hey hi him his how i i'd i'll i'm i've
  if in into is isn't it it's its just know known last let let's like list lol long many may maybe me mean mention
  mentioned mine more most much my myself need no nor not now of off ok okay on one only or other our out over own please
  quite really recall recap remember remind said same say saying says shall she should show so some someone something
  still such summarise summarize summary sum sure talk talked tell than thank thanks that that's the their them then there there's these they thing
  things think this those time to told too up us use used very want was wasn't we we'll we're well went were what what's
  when where where's which who who's whose why will with would yeah yes yet you you're your yours`.split(/\s+/u),
);

const STOP_SIGNS = new RegExp(
  [
    '什[么麼]时候|什[麼么]時候|[为為]什[么麼]|[是有]不是|有[没沒]有|能不能|会不会|還?[记記]得|还记得|知道|告[诉訴]|提醒|[请請][问問]|[关關][于於]|可以|一下',
    '叫?什[么麼]|[叫聊]|名字|[总總][结結]|回[顾顧]|怎[么麼样樣]|多少|[哪那][里裡儿兒个個天些]?|[这這][里裡个個些]?|[我你他她它咱][们們]?的?|[谁誰]',
    '[的了吗嗎呢吧啊呀是在有也都和就要会會说說几幾个個]',
  ].join('|'),
  'gu',
);

/** Words (stemmed, without stop words), and for scripts without spaces signs and pairs of signs. */
export function termsOf(text: string): Terms {
  const terms = new Map<string, number>();
  const plain = text.normalize('NFKC').toLowerCase().replace(STOP_SIGNS, ' ');
  for (const match of plain.matchAll(TOKEN)) {
    if (match.groups?.pair !== undefined) addPairs(terms, match.groups.pair);
    else if (!STOP_WORDS.has(match[0].replace('’', "'"))) terms.set(stem(match[0]), 1);
  }
  return terms;
}

function addPairs(terms: Map<string, number>, run: string): void {
  let before = '';
  for (const sign of run) {
    terms.set(sign, SINGLE_WEIGHT);
    if (before !== '') terms.set(before + sign, 1);
    before = sign;
  }
}

/** A word without its commonest English endings; equal for the forms of most regular words. */
function stem(word: string): string {
  const bare = word.replace(/['’]\p{L}*$/u, '');
  if (bare.length <= 3 || !/^[a-z]+$/u.test(bare)) return bare;
  const cut = bare.replace(/(?<=[a-z]{3})(?:ations?|ations?|ings?|ies|ied|ers?|ed|es|ic|ly|s|y|e)$/u, '');
  return cut.replace(/([bdgmnprt])\1$/u, '$1');
}
