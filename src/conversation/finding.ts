/** One line of a check-up: what was looked at, whether it is well, and what was found, with the mend where it is not. */
export type Finding = { well: boolean; what: string; text: string };

/** A finding that all is well. */
export function well(what: string, text: string): Finding {
  return { well: true, what, text };
}

/** A finding that something is to be mended. */
export function unwell(what: string, text: string): Finding {
  return { well: false, what, text };
}
