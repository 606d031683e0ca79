import { AttachmentBuilder } from 'discord.js';
import type { MemoryReport } from '../../chatbot/report.js';
import { answer } from '../answers.js';
import type { Door } from '../door.js';
import { explainMemory, GAUGE_FILE, gaugeAltText } from '../explain.js';
import { drawGauge } from '../gauge.js';
import { requireRight } from '../rights.js';
import type { CommandCall } from './command.js';

/** `/memory show`: what the next request would carry, for the asker's eyes. */
export async function showMemory(call: CommandCall): Promise<void> {
  const { door, interaction, place, words } = call;
  requireRight(call, 'show');
  const report = await door.chatbot.report(place.session);
  const gauge = await gaugeOf(door, report);
  const description = gaugeAltText(words, report);
  const files = gauge === null ? [] : [new AttachmentBuilder(gauge, { name: GAUGE_FILE, description })];
  await answer(interaction, { embeds: explainMemory(words, report, gauge !== null), files });
}

/** The picture, or null where it cannot be drawn; the numbers are in the text as well. */
async function gaugeOf(door: Door, report: MemoryReport): Promise<Buffer | null> {
  try {
    return await drawGauge(report.parts);
  } catch (error) {
    door.logger.warn({ error }, 'gauge could not be drawn');
    return null;
  }
}
