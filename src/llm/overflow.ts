/** How endpoints say that a prompt is too long. */
const TOO_LONG = [
  /context_length_exceeded/,
  /exceed_context_size_error/,
  /maximum context length/i,
  /exceed(s|ed)? (the|this model's) (available )?context (window|size|length)/i,
  /exceeded max context length/i,
  /input tokens exceed the configured limit/i,
  /input token count.{0,30}exceeds/i,
  /context length of only/i,
  /number of tokens to keep from the initial prompt/i,
  /prompt is too long/i,
  /request too large/i,
];

const NUMBER = '(\\d[\\d,_]*)';
/** Where the limit stands in such a text. */
const LIMITS = [
  new RegExp(`"n_ctx"\\s*:\\s*${NUMBER}`),
  new RegExp(`maximum context length (?:is|of) ${NUMBER}`, 'i'),
  new RegExp(`maximum context length \\(${NUMBER}`, 'i'),
  new RegExp(`${NUMBER} maximum context length`, 'i'),
  new RegExp(`available context size \\(${NUMBER}`, 'i'),
  new RegExp(`configured limit of ${NUMBER}`, 'i'),
  new RegExp(`context length of only ${NUMBER}`, 'i'),
  new RegExp(`number of tokens allowed \\(${NUMBER}`, 'i'),
  new RegExp(`tokens > ${NUMBER}`, 'i'),
];

/** Whether an endpoint's words say that the prompt did not fit, and the limit in tokens when they name it. */
export function contextOverflow(text: string): { limit: number | undefined } | null {
  if (!TOO_LONG.some((pattern) => pattern.test(text))) return null;
  for (const pattern of LIMITS) {
    const limit = Number(pattern.exec(text)?.[1]?.replace(/[,_]/g, ''));
    if (Number.isSafeInteger(limit) && limit > 0) return { limit };
  }
  return { limit: undefined };
}
