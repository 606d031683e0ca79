import { readdirSync, readFileSync, statSync } from 'node:fs';

const MB = 1024 * 1024;

/** What a bot's process uses. Memory and files in MB; loop delays in milliseconds since the reading before. */
export type Readings = {
  rss: number;
  files: number;
  wal: number;
  database: number;
  loopP50: number;
  loopP99: number;
  loopMax: number;
  /** Processor time used so far by all threads, and time for which the main thread was ready but got no processor, in ms. */
  cpu: number;
  starved: number;
  /** Every series of `/metrics` by its name and labels. */
  metrics: Map<string, number>;
};

/** Reads what the kernel, the file system and the bot's own `/metrics` tell; a reading starts the loop delays anew. */
export async function takeReadings(pid: number, healthPort: number, databasePath: string): Promise<Readings> {
  const response = await fetch(`http://127.0.0.1:${healthPort}/metrics`);
  const metrics = parseMetrics(await response.text());
  const loop = (name: string) => (metrics.get(`nodejs_eventloop_lag_${name}_seconds`) ?? Number.NaN) * 1_000;
  return {
    rss: residentMemory(pid),
    files: readdirSync(`/proc/${pid}/fd`).length,
    wal: sizeOf(`${databasePath}-wal`),
    database: sizeOf(databasePath),
    loopP50: loop('p50'),
    loopP99: loop('p99'),
    loopMax: loop('max'),
    cpu: processorTime(pid),
    starved: Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6,
    metrics,
  };
}

/** The kernel counts in hundredths of a second; the name of the process, which may hold spaces, ends with a bracket. */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /u, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resident memory of a process in MB. */
export function residentMemory(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found?.[1]) / 1024;
}

/** Size of a file in MB; 0 when there is none. */
export function sizeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) / MB;
}

function parseMetrics(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}
