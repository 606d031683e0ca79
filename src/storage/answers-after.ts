/** For each number the next answer after it, each answer once; both lists rise, and are read once. */
export function answersAfter(seqs: readonly number[], answers: readonly number[]): number[] {
  const found: number[] = [];
  let at = 0;
  for (const seq of seqs) {
    while (at < answers.length && (answers[at] ?? 0) < seq) at += 1;
    const answer = answers[at];
    if (answer === undefined) break;
    if (found.at(-1) !== answer) found.push(answer);
  }
  return found;
}
