/** Invented talk, the same in every run: people ask in about 35 tokens, the bot answers in about 163. */
export type Talk = { question(): string; answer(): string };

const WORDS = `the a and of to in is that it for on with as was are this be at by not have from or one had but what all
were when we there can an your which their said if do will each about how up out them then she many some so these would
other into has more her two like him see time could no make than first been its who now people my made over did down only
way find use may water long little very after words called just where most know get through back much before go good new
write our used me man too any day same right look think also around another came come work three word must because does
part even place well such here take why things help put years different away again off went old number great tell men say
small every found still between name should home big give air line set own under read last never us left end along while
might next sound below saw something thought both few those always looked show large often together asked house world
going want school important until form food keep children feet land side without boy once animals life enough took
sometimes four head above kind began almost live page got earth need far hand high year mother light parts country father
let night following picture being study second eyes soon times story boys since white days ever paper hard near sentence
better best across during today others however sure means knew try told young miles sun ways thing whole hear example
heard several change answer room sea against top turned learn point city play toward five using himself usually`.split(
  /\s+/u,
);

/** Talk from a seed; lengths are log-normal, and no text is longer than a Discord message. */
export function createTalk(seed: number): Talk {
  const random = mulberry32(seed);
  return { question: () => text(random, 35), answer: () => text(random, 163) };
}

/** One exchange, made before it is needed, so that making it up is not measured. */
export type Exchange = { question: string; answer: string };

/** The next exchange of a talk. */
export function nextExchange(talk: Talk): Exchange {
  return { question: talk.question(), answer: talk.answer() };
}

/** Numbers in [0, 1) from a seed. */
export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** `mean` words on average, which with these words is as many tokens. */
function text(random: () => number, mean: number): string {
  const sigma = 0.6;
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const count = Math.max(1, Math.round(mean * Math.exp(sigma * normal - (sigma * sigma) / 2)));
  const words = Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]);
  return words.join(' ').slice(0, 2_000);
}
