import { readFileSync, statSync } from 'node:fs';
import { createApp } from '../app.js';
import type { ImportReceipt } from '../chatbot/archive.js';
import type { Config } from '../config.js';
import { ARCHIVE_LIMITS } from '../conversation/archive.js';
import { badOption, CommandError, ConfigError } from '../conversation/errors.js';
import type { Session } from '../conversation/session.js';
import { createLogger } from '../logger.js';
import { en } from '../words/en.js';
import { parseSession, runOwnerCommand, SESSION_FORMS } from './program.js';

const HELP = `use: npm run import -- --session NAME [--server ID] FILE

Takes over a memory that "npm run export" or /memory export has written, into a conversation that remembers nothing; the
bot must not run. All of it is imported or nothing. --session takes ${SESSION_FORMS};
--server names the Discord server of a channel that is not known here yet.`;

await runOwnerCommand({
  help: HELP,
  options: { session: { type: 'string' }, server: { type: 'string' } },
  files: 1,
  run: async (config, { values: { session, server }, files: [file = ''] }) => {
    const target = parseSession(String(session ?? ''), typeof server === 'string' ? server : null);
    if (target === null) throw new ConfigError([`--session must be ${SESSION_FORMS}; ${HELP.split('\n')[0]}`]);
    const receipt = await importInto(config, target, readArchiveFile(file));
    if (receipt === null) {
      throw new CommandError(
        'not-allowed',
        'This conversation remembers something; an import never overwrites, name another.',
      );
    }
    const { archive: say } = en;
    console.log(say.imported(receipt.messages, receipt.summaries));
    if (receipt.leftOut > 0) console.log(say.leftOut(receipt.leftOut));
    console.log(say.strategyWas(receipt.strategyText));
  },
});

async function importInto(config: Config, target: Session, content: string): Promise<ImportReceipt | null> {
  const app = await createApp(config, createLogger(config.LOG_LEVEL ?? 'silent'));
  try {
    for await (const session of app.chatbot.eachSession()) {
      if (session.id === target.id) return await app.chatbot.archives.import(session, content);
    }
    return await app.chatbot.archives.import(target, content);
  } finally {
    await app.close(0);
  }
}

function readArchiveFile(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile()) throw badOption('The file is not there; check its path.');
  if (stat.size > ARCHIVE_LIMITS.bytes) throw badOption('The file has more than 5,000,000 bytes.');
  return readFileSync(file, 'utf8');
}
