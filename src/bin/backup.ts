import { backUp } from '../storage/backup.js';
import { formatCounts, formatMegabytes, runOwnerCommand } from './program.js';

const HELP = `use: npm run backup [-- --to FOLDER]

Copies the database into a new file, also while the bot runs, and checks the copy. The folder is "backups" beside the
database unless --to names another one. The copy holds all conversations: keep it where only you can read it.`;

await runOwnerCommand({
  help: HELP,
  options: { to: { type: 'string' } },
  files: 0,
  run: (config, { values }) => {
    const { file, bytes, rows } = backUp(config.DATABASE_URL, values.to as string | undefined, Date.now());
    console.log(
      `Backed up to ${file} (${formatMegabytes(bytes)}; ${formatCounts(rows)}). The copy was read again and is whole.`,
    );
  },
});
