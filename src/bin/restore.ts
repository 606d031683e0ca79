import { restore } from '../storage/restore.js';
import { runOwnerCommand, stored } from './program.js';

const HELP = `use: npm run restore -- FILE [--force]

Puts a backup in the place of the database; the bot must not run. A database that exists is replaced only with --force,
and is kept under a dated name. What was deleted, edited or forgotten in it since the backup does not come back.`;

await runOwnerCommand({
  help: HELP,
  options: { force: { type: 'boolean', default: false } },
  files: 1,
  run: (config, { values, files: [file = ''] }) => {
    const force = values.force === true;
    const done = restore(config.DATABASE_URL, file, { force, retentionDays: config.RETENTION_DAYS, now: Date.now() });
    console.log(`Restored: ${stored(done.rows)}.`);
    if (done.oldFile === null) return;
    console.log(`The database before is kept as ${done.oldFile}; delete it when you no longer need it.`);
    if (done.carriedOver === null) {
      console.log('It could not be read, so what was deleted or forgotten in it since the backup may be back.');
      return;
    }
    const { erased, edited, emptied } = done.carriedOver;
    console.log(
      `Since the backup: ${erased} erased, ${edited} edited, ${emptied} conversations forgotten; it stays so.`,
    );
  },
});
