import { restore } from '../storage/restore.js';
import { formatCounts, runOwnerCommand } from './program.js';

const HELP = `use: npm run restore -- FILE [--force]

Puts a backup in the place of the database; the bot must not run. A database that exists is replaced only with --force,
and is kept under a dated name. What was deleted, edited or forgotten in it since the backup does not come back.`;

await runOwnerCommand({
  help: HELP,
  options: { force: { type: 'boolean', default: false } },
  files: 1,
  run: (config, { values, files: [file = ''] }) => {
    const force = values.force === true;
    const restored = restore(config.DATABASE_URL, file, {
      force,
      retentionDays: config.RETENTION_DAYS,
      now: Date.now(),
    });
    console.log(`Restored: ${formatCounts(restored.rows)}.`);
    if (restored.oldFile === null) return;
    console.log(`The database before is kept as ${restored.oldFile}; delete it when you no longer need it.`);
    if (restored.carriedOver === null) {
      console.log('It could not be read, so what was deleted or forgotten in it since the backup may be back.');
      return;
    }
    const { erased, edited, emptied } = restored.carriedOver;
    console.log(
      `Since the backup: ${erased} erased, ${edited} edited, ${emptied} conversations forgotten; it stays so.`,
    );
  },
});
