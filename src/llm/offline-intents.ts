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
export function isAboutMyself(text: string): boolean {
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
