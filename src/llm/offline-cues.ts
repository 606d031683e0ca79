import type { Said } from './offline-text.js';

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

/** A kind of question whose answers share no word with it: how it is asked, and how its answers are put. */
type Intent = { asks: RegExp; states: RegExp };

const INTENTS: readonly Intent[] = [
  {
    asks: /\bmy (?:\w+ )?name\b|\bwho am i\b|\bam i called\b|我叫[什啥]|我的?名字|我是[谁誰]|我姓什/iu,
    states:
      /\b[Mm]y (?:full |first |last |real )?name(?:['’]s| is| was)\b|\b[Cc]all me\b|\b[Ii](?:['’]m| am) (?:called|known as)\b|^(?:[Hh]i|[Hh]ello|[Hh]ey)?[,!. ]*(?:I am|I['’]m|[Tt]his is) \p{Lu}\p{L}+(?:[.,!]|$| and )|我叫(?![什啥])|叫我|我的?名字(?:是|叫)|我姓(?!什)|^我是\p{Script=Han}{1,4}(?:[，。！,.!]|$)/u,
  },
  {
    asks: /\bwhere (?:do|did|does|am|are|is) .{1,40}\b(?:live|stay|from|living)\b|\bmy (?:address|home|city|town)\b|\bam i from\b|住.{0,4}[哪什]|家在哪|[来來]自哪|哪[里裡]人/iu,
    states:
      /(?<!\bmy \p{L}{1,20} (?:\p{L}{1,20} )?)\b(?:live|lives|lived|living|moved|moving|relocated|based|staying) (?:in|to|at|near|on)\b|\bgrew up\b|\bborn in\b|\baddress\b|\b(?:am|['’]m|is|come|comes) from\b|住在|搬[到去]|[来來]自|地址|老家/iu,
  },
  {
    asks: /\bwhat do i do\b|\b(?:job|profession|occupation|employer)\b|\bwhere .{1,40}\bwork\b|做什[么麼]的?工作|我的?(?:工作|[职職][业業])|在哪.{0,3}(?:工作|上班)/iu,
    states:
      /\bwork(?:ing|s|ed)? (?:as|at|for|in)\b|\bjob\b|\bI(?:['’]m| am) an? \p{L}+|工作|上班|[职職][业業]|我是.{0,6}[师師员員生医醫]/iu,
  },
  {
    asks: /\bhow old\b|\bmy age\b|几岁|幾歲|多大/iu,
    states: /\byears? old\b|\bI(?:['’]m| am) \d{1,3}\b|\bturn(?:ed|s)? \d|\bborn\b|[岁歲]|出生/iu,
  },
  { asks: /\bbirthday\b|\bborn\b|生日/iu, states: /\bbirthday\b|\bborn (?:on|in)\b|生日|出生/iu },
  {
    asks: /\b(?:eat|food|foods|diet|allerg\w*|intoleran\w*)\b|吃|[过過]敏|忌口/iu,
    states:
      /\ballerg|\bintoleran|\bvegetarian\b|\bvegan\b|\bhalal\b|\bkosher\b|\b(?:don['’]t|can['’]?t|cannot|never) eat\b|[过過]敏|不吃|不能吃|吃素/iu,
  },
  {
    asks: /\b(?:phone|telephone|mobile|e-?mail)\b|[电電][话話]|手[机機]|[邮郵]箱/iu,
    states: /\b(?:phone|telephone|mobile|e-?mail)\b|\S@\S+\.\S|\+\d[\d ().-]{5,}|[电電][话話]|手[机機]|[邮郵]箱/iu,
  },
  {
    asks: /\b(?:do|does) \S{1,32} (?:like|love|prefer|enjoy)\b|\bfavou?rites?\b|\bhobb|喜[欢歡]什|[爱愛]好|最喜/iu,
    states: /\b(?:like|likes|love|loves|prefer|prefers|enjoy|enjoys|fan of)\b|\bfavou?rites?\b|喜[欢歡]|[爱愛]/iu,
  },
  {
    asks: /\bdecided?\b|\bdecisions?\b|\bagreed?\b|[决決]定|[说說]好|商量/iu,
    states: /\bdecided?\b|\bdecision\b|\bagreed?\b|\blet['’]s\b|\bgoing with\b|[决決]定|[说說]好|就[用定]/iu,
  },
];

/** The ways in which answers to a question may be put, beyond sharing its words. */
export function answerForms(question: string): RegExp[] {
  return INTENTS.filter(({ asks }) => asks.test(question)).map(({ states }) => states);
}

const REQUEST_TO_ME =
  /\b(?:tell|remind|show|give|help|let|ask|send) me\b|\b(?:can|may|could) i (?:ask|have|get|know)\b|\bi (?:forgot|forget|wonder|(?:need|want|like|love) to know|(?:don['’]t|can['’]t) remember)\b|告[诉訴]我|提醒我|[帮幫][我]|[给給]我/giu;
const MYSELF = /\b(?:i|i['’](?:m|ve|d|ll)|me|my|mine|myself)\b|我(?![们們])/iu;

/** Whether a text speaks of its own speaker; "tell me" and the like do not. */
function isAboutMyself(text: string): boolean {
  return MYSELF.test(text.replace(REQUEST_TO_ME, ' '));
}

const YOURSELF =
  /\b(?:who|what) are you\b|\byour name\b|\bare you (?:an? |real|human|there)\b|\bhow are you\b|\bwhat can you do\b|你是[谁誰什]|你叫什|你的?名字/iu;

/** Whether a question is about the bot itself. */
export function isAboutTheBot(question: string): boolean {
  return YOURSELF.test(question);
}

const EVERYTHING =
  /\b(?:know|remember|recall|learn(?:ed|t)?|tell me)\b.{0,30}\b(?:about|me|us|anything|everything|so far)\b|\bwhat (?:do|can) you (?:know|remember|recall)\b|\bwho am i\b|\bsummari[sz]e\b|\bsum up\b|\brecap\b|\bwhat (?:did|have|were) we (?:talk|discuss|sa[iy])|[关關][于於].{0,12}[知记記]|[知记記].{0,6}什[么麼]|[总總][结結]|回[顾顧]|[记記]得我/iu;

/** Whether a question asks for whatever is remembered, of somebody or of all. */
export function asksForEverything(question: string): boolean {
  return EVERYTHING.test(question);
}

const TIME = /\bwhen\b|\bwhat (?:time|day|date)\b|什[么麼][时時]候|几[点號号月]|幾[點號月]|哪[天年]/iu;
const TIME_TOLD =
  /\p{N}|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\btomorrow\b|\btonight\b|\bnoon\b|[周週]|星期|[明后後]天/iu;
const AMOUNT = /\bhow (?:many|much|long|far|old|big)\b|\bnumber\b|\bcode\b|多少|[号號][码碼]/iu;

/** Whether a question asks for a time or an amount and a sentence tells one. */
export function tellsWhatIsAsked(question: string, sentence: string): boolean {
  return (
    (TIME.test(question) && TIME_TOLD.test(sentence)) ||
    (AMOUNT.test(question) && /[\p{N}一二三四五六七八九十两兩]/u.test(sentence))
  );
}

/** Whom a question is about, as far as its words tell. */
export type Subject = {
  /** Whether it is about somebody in particular. */
  given: boolean;
  /** Said by the subject, or of it by name; true for all when nobody in particular is meant. */
  concerns(said: Said): boolean;
  /** Said by the subject. */
  isSpeaker(said: Said): boolean;
  /** Whether what was said may be quoted at all: not what others say of themselves, to one who asks of himself. */
  allows(said: Said): boolean;
};

const SECOND_PERSON = /\b(?:you|your|yours|you['’]\p{L}+)\b|[你您]/iu;
/** The most people that one question is taken to be about. */
const NAMES = 8;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** The subject of a question: the asker ("my", "我"), the speakers it names, or nobody in particular. */
export function subjectOf(remembered: readonly Said[], question: Said): Subject {
  const names = isAboutMyself(question.text) ? [question.speaker] : namedIn(question.text, remembered);
  const mine = names[0] === question.speaker;
  if (names.length === 0) return { given: false, concerns: () => true, isSpeaker: () => false, allows: () => true };
  const folded = new Set(names.map(fold));
  const isSpeaker = (said: Said) => folded.has(fold(said.speaker));
  const concerns = (said: Said) => isSpeaker(said) || names.some((name) => mentions(said.text, name));
  const unattributed = (said: Said) => said.speaker === '';
  return {
    given: true,
    isSpeaker,
    concerns,
    allows: (said) =>
      !mine ||
      concerns(said) ||
      unattributed(said) ||
      !isAboutMyself(said.text) ||
      (SECOND_PERSON.test(said.text) && !asksForEverything(question.text)),
  };
}

/** Whether a text names somebody, as a word of its own where the script has words. */
export function mentions(text: string, name: string): boolean {
  if (UNSPACED.test(name)) return fold(text).includes(fold(name));
  const wanted = words(name);
  return wanted.trim() !== '' && words(text).includes(wanted);
}

function namedIn(text: string, remembered: readonly Said[]): string[] {
  const speakers = new Set(remembered.map(({ speaker }) => speaker).filter((speaker) => speaker !== ''));
  return [...speakers].filter((speaker) => mentions(text, speaker)).slice(0, NAMES);
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim();
}

function words(text: string): string {
  return ` ${(fold(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ')} `;
}
