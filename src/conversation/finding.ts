/** One line of a check-up: what was looked at, whether it is well, and what was found, with the mend where it is not. */
export type Finding = { ok: boolean; what: string; text: string };

/** A finding that all is well. */
export function okFinding(what: string, text: string): Finding {
  return { ok: true, what, text };
}

/** A finding that something is to be mended. */
export function problemFinding(what: string, text: string): Finding {
  return { ok: false, what, text };
}
