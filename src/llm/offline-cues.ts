/** Signs that a sentence holds a fact, with the points each is worth; English, then Chinese. */
const CUES: readonly (readonly [points: number, sign: RegExp])[] = [
  [4, /\bmy (?:\w+ )?name(?:['’]s| is| was)\b|\bcall me\b|\bI(?:['’]m| am) (?:called|known as)\b/iu],
  [3, /\bmy [\p{L}'’-]{2,30}(?: [\p{L}'’-]{1,30}){0,3}(?:['’]s| is| are| was| were) /iu],
  [2.5, /\bI(?:['’]m| am) (?:an? |from |allergic|vegan|vegetarian|not |\d)/iu],
  [
    3,
    /\bI(?:['’]ve)? (?:have |used to |always |never |usually |really |also |just |now |do not |don['’]t )?(?:live|lived|work|worked|moved?|prefer|love|like|hate|need|want|have|own|adopted|use|study|studied|speak|play|eat|drink|drive|bought|switched|grew up|was born|can['’]?t|cannot|won['’]?t)\b/iu,
  ],
  [
    3,
    /\ballerg|\bintoleran|\bvegetarian\b|\bvegan\b|\bbirthday\b|\baddress\b|\bphone\b|\bdeadline\b|\bappointment\b/iu,
  ],
  [
    3,
    /\bdecided?\b|\bdecision\b|\bagreed?\b|\bfrom now on\b|\bremind\b|\bremember (?:that|to|my|this)\b|\bdon['’]t forget\b/iu,
  ],
  [1.5, /\bwe(?:['’]ll| will| are going to)\b|\blet['’]s\b|\bgoing with\b|\bmust\b|\bimportant\b|\bplan(?:s|ned)?\b/iu],
  [1.5, /\p{N}/u],
  [
    1,
    /\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b|\btomorrow\b|\btonight\b|\bnext (?:week|month|year)\b/iu,
  ],
  [1, /https?:\/\/|\S@\S+\.\S/u],
  [1, /[\p{Ll},;] \p{Lu}\p{Ll}/u],
  [4, /我叫(?!什)|叫我|我的名字|我姓/u],
  [
    3,
    /我(?:是|住|在|来自|來自|搬|有|不吃|不喝|不能|喜欢|喜歡|[讨討][厌厭]|爱|愛|想|需要|[买買]|[养養]|[会會]|用|今年)|我的.{1,8}是|[过過]敏/u,
  ],
  [3, /[决決]定|[约約]定|[说說]好|[记記]得|[记記]住|[别別]忘|不要|必[须須]|从现在起|從現在起|以[后後]都?/u],
  [3, /[电電][话話]|手[机機]|[邮郵]箱|生日|地址|密[码碼]|[会會][议議]|截止/u],
  [1, /[一二三四五六七八九十两兩\d][月日号號点點岁歲]|[周週]|星期|明天|后天|後天|下[个個]?月/u],
];

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const FILLER =
  /^(?:lol|(?:ha|he|哈|嗯|嘿)+h?|ok|okay|k|thanks?|thank|you|thx|yes|yeah|yep|no|nope|nice|cool|great|wow|hm+|hi|hey|hello|there|bye|good|morning|night|evening|sure|right|same|true|really|so|很?好的?|谢+|謝+|你好|再见|早|早上好|晚安)$/iu;

/** Whether a text consists of greetings, thanks and the like alone. */
export function isFiller(text: string): boolean {
  return (text.match(WORD) ?? []).every((word) => FILLER.test(word));
}

/** How much a sentence looks like a fact worth keeping: 0 for filler, some 1 to 10 else, questions not minded. */
export function factPoints(sentence: string): number {
  if (isFiller(sentence)) return 0;
  return CUES.reduce((sum, [points, sign]) => (sign.test(sentence) ? sum + points : sum), 0);
}

const QUESTION_MARK = /[?？؟](?=[\s"'”’)）\]*_~]|$)|¿/u;
const NOISE = /https?:\/\/\S*|<[@#][^>\s]{0,40}>/gu;
const LEAD = /^(?:(?:hey|hi|hello|ok|okay|so|and|but|well|please|oh|also|@?\p{L}{1,20},|@\S{1,40})[,:!]?\s+){0,3}/iu;
const ASKING_WORD =
  /^(?:who|whom|whose|why|how|(?:what|when|where|which)(?!ever)(?! (?:i|we|you|he|she|it|they|the|a|an)\b))(?:['’](?:s|re|d))?\b/iu;
const INVERSION =
  /^(?:do|does|did|is|are|am|was|were|can|could|will|would|should|shall|has|have|had|may)(?:n['’]t)? (?:i|you|we|he|she|it|they|my|your|our|his|her|their|the|this|that|there|any|any\w+|some\w+)\b/iu;
const INVERSION_WITH_NAME = /^(?:[Dd]o|[Dd]oes|[Dd]id|[Ii]s|[Aa]re|[Ww]as|[Ww]ere|[Cc]an|[Hh]as|[Hh]ave) \p{Lu}/u;
const REQUEST =
  /^(?:(?:tell|show|give) (?:me|us)|list|summari[sz]e|recap|quote|what about|how about|remind me (?:what|when|where|who|which|how|why|of|about)\b|(?:can|could|would) you)\b/iu;
const CHINESE_QUESTION =
  /什[么麼]|怎[么麼样樣]|[谁誰]|哪[里裡儿兒个個天年些位一]|多少|多大|几[点號号岁月次天]|幾[點號歲月次天]|[为為]什|是不是|有[没沒]有|能不能|会不会|[还還][记記]得|[吗嗎呢][。！!~～]*$|か[。！]?$/u;

/** Whether a text asks: by its mark, by a question word or inversion at its beginning, or by a request to tell. */
export function isQuestion(text: string): boolean {
  const plain = text.replace(NOISE, ' ').trim();
  if (QUESTION_MARK.test(plain) || CHINESE_QUESTION.test(plain)) return true;
  const bare = plain.replace(LEAD, '');
  return ASKING_WORD.test(bare) || INVERSION.test(bare) || INVERSION_WITH_NAME.test(bare) || REQUEST.test(bare);
}
