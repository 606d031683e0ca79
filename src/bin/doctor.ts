import { connectionOptions } from '../app.js';
import type { Config } from '../config.js';
import { KeepsakeError } from '../conversation/errors.js';
import { type Finding, okFinding, problemFinding } from '../conversation/finding.js';
import { checkModel, chooseModel } from '../llm/choose-model.js';
import { databaseExists, openForDiagnosis } from '../storage/read-only.js';
import { EXIT, runProgram } from './program.js';

await runProgram(async (config) => {
  const findings = [
    checkDatabase(config),
    checkModel(await chooseModel(connectionOptions(config))),
    checkPlatform(config),
  ];
  for (const finding of findings) {
    for (const { ok, subject, text } of [await finding].flat()) {
      console.log(`${ok ? 'ok  ' : 'MEND'}  ${subject.padEnd(9)} ${text}`);
      if (!ok) process.exitCode = EXIT.failed;
    }
  }
});

/** Reads the database beside a running bot, without its lock. */
function checkDatabase(config: Config): Finding {
  try {
    if (!databaseExists(config.DATABASE_URL)) {
      return okFinding('database', 'there is none yet; it will be made at the first start');
    }
    const view = openForDiagnosis(config.DATABASE_URL);
    const errors = view.integrity();
    const pending = view.pendingMigrations();
    view.close();
    if (errors.length > 0)
      return problemFinding('database', `${view.path} is damaged; restore a copy with npm run restore`);
    const update = pending === 0 ? '' : `, ${pending} migrations to be applied at the next start`;
    return okFinding('database', `${view.path} is sound${update}`);
  } catch (error) {
    if (!(error instanceof KeepsakeError)) throw error;
    return problemFinding('database', error.message);
  }
}

async function checkPlatform(config: Config): Promise<Finding[]> {
  if (config.DISCORD_TOKEN === undefined) {
    return [okFinding('Discord', 'no DISCORD_TOKEN is set, so Keepsake chats in the terminal')];
  }
  const { checkDiscord } = await import('../discord/check.js');
  return checkDiscord({
    token: config.DISCORD_TOKEN,
    api: config.DISCORD_API,
    messageContent: config.MESSAGE_CONTENT,
  });
}
