/** One result of a check: its subject, whether that is well, and what was found, with the remedy where it is not. */
export type Finding = { ok: boolean; subject: string; text: string };

/** Reports that the subject is well. */
export function okFinding(subject: string, text: string): Finding {
  return { ok: true, subject, text };
}

/** Reports a problem; the text says what to do. */
export function problemFinding(subject: string, text: string): Finding {
  return { ok: false, subject, text };
}
