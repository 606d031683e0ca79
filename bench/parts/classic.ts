import { join } from 'node:path';
import { fileHistory, openClassic } from '../contenders/classic.js';
import { median, timeBox } from '../support/measure.js';
import { duration } from '../support/report.js';
import { STRATEGIES } from '../support/strategies.js';

/** One turn of LangChain's memories that takes longer is not waited for, in seconds. */
const PATIENCE = 8;

/** Measures LangChain's memories over a file; gives a cell for each length, by strategy. */
export async function raceClassic(folder: string, lengths: readonly number[]): Promise<Map<string, string[]>> {
  const cells = new Map<string, string[]>(STRATEGIES.map(({ name }) => [name, []]));
  for (const length of lengths) {
    const history = fileHistory(join(folder, 'classic.json'), length);
    for (const { name } of STRATEGIES) {
      if (length < 100_000) await timeBox(openClassic(name, history, PATIENCE), 2, PATIENCE);
      const timing = await timeBox(openClassic(name, history, PATIENCE), length < 100_000 ? 12 : 1, PATIENCE);
      history.rewind();
      const cell =
        timing === null ? `over ${PATIENCE} s` : `${duration(median(timing.cpu))} (${duration(median(timing.wall))})`;
      cells.get(name)?.push(cell);
    }
  }
  return cells;
}
