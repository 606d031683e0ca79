import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exportRows } from '../chatbot/archive.js';
import { eachSession } from '../chatbot/sessions.js';
import { archiveLine, archiveMarkdown } from '../conversation/archive.js';
import { badOption, ConfigError } from '../conversation/errors.js';
import { openReadOnlyStore, type Reader } from '../storage/read-only.js';
import { en } from '../words/en.js';
import { parseSession, runOwnerCommand, SESSION_FORMS } from './program.js';

const HELP = `use: npm run --silent export -- (--session NAME [--markdown] | --list) > FILE

Writes the memory of one conversation to standard output, also while the bot runs: as JSON Lines for "npm run import",
or with --markdown to read. --session takes ${SESSION_FORMS};
--list shows those that there are.`;

await runOwnerCommand({
  help: HELP,
  options: { session: { type: 'string' }, markdown: { type: 'boolean' }, list: { type: 'boolean' } },
  files: 0,
  run: async (config, { values: { session, markdown, list } }) => {
    if (list !== true && typeof session !== 'string') throw new ConfigError([HELP.split('\n')[0] ?? '']);
    const reader = openReadOnlyStore(config.DATABASE_URL);
    try {
      const lines = list === true ? sessionLines(reader) : archiveLines(reader, String(session), markdown === true);
      await pipeline(Readable.from(lines), process.stdout, { end: false });
    } finally {
      await reader.close();
    }
  },
});

async function* archiveLines(reader: Reader, name: string, markdown: boolean): AsyncGenerator<string> {
  const parsed = parseSession(name);
  const session = parsed === null ? null : await reader.findSession(parsed.id);
  if (session === null) throw badOption('There is no such conversation; --list shows those there are.');
  for await (const row of exportRows(reader, session, Date.now())) {
    yield markdown ? archiveMarkdown(row, en.archive) : archiveLine(row);
  }
}

async function* sessionLines(reader: Reader): AsyncGenerator<string> {
  for await (const { id } of eachSession(reader)) yield `${id}\n`;
}
