import { Events, type Message } from 'discord.js';
import { isHidden, isTalk, sessionOf } from '../incoming.js';
import { fullText } from '../render-content.js';
import { discordSession } from '../session.js';
import { doorEvent } from './on-event.js';

/** A message was changed; Discord also says so when a link unfolds, which is no edit. A thread's starter is kept twice. */
export const messageUpdate = doorEvent(Events.MessageUpdate, async (door, _, changed) => {
  if (changed.partial || changed.editedTimestamp === null || !isTalk(changed as Message)) return;
  if (isHidden(changed as Message, door.options.messageContent)) return;
  const reading = fullText(changed as Message);
  const thread = discordSession(changed.id, changed.guildId, changed.channelId);
  // In turn with what is said there, so that a question right after the edit is answered by it.
  await door.intake.run(changed.channelId, async () => {
    const text = await reading;
    await door.chatbot.edit(sessionOf(changed.channel), changed.id, text);
    if (await door.chatbot.places.isKnown(thread.id)) await door.chatbot.edit(thread, changed.id, text);
  });
});
