import { setTimeout as sleep } from 'node:timers/promises';

/** Acts so many times a second for some seconds, evenly, catching up when this process was late; gives the true rate. */
export async function pace(perSecond: number, seconds: number, act: (number: number) => void): Promise<number> {
  const began = performance.now();
  const total = Math.round(perSecond * seconds);
  let done = 0;
  while (done < total) {
    const due = Math.min(total, Math.floor(((performance.now() - began) / 1_000) * perSecond) + 1);
    for (; done < due; done += 1) act(done);
    await sleep(4);
  }
  return total / ((performance.now() - began) / 1_000);
}

/** The value below which a share of the samples lies; NaN samples are left out. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.filter((sample) => !Number.isNaN(sample)).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** A number of milliseconds as people read it. */
export function millis(ms: number): string {
  return Number.isNaN(ms) ? '–' : ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms).toLocaleString('en-US')} ms`;
}

/** A number of megabytes. */
export function megabytes(mb: number): string {
  return `${mb < 10 ? mb.toFixed(1) : Math.round(mb).toLocaleString('en-US')} MB`;
}
