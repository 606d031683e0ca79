import { Events, type Message } from 'discord.js';
import { editMessage } from '../both-places.js';
import { isHidden, isTalk, sessionOf } from '../incoming.js';
import { editOf } from '../render-content.js';
import { doorEvent } from './on-event.js';

/** A message was changed; Discord also says so when a link unfolds, which is no edit. A thread's starter is kept twice. */
export const messageUpdate = doorEvent(Events.MessageUpdate, async (door, _, changed) => {
  if (changed.partial || changed.editedTimestamp === null || !isTalk(changed as Message)) return;
  if (isHidden(changed as Message, door.options.messageContent)) return;
  door.gaps.keepEdit(changed as Message);
  const reading = editOf(changed as Message);
  // In turn with what is said there, so that a question right after the edit is answered by it.
  await door.intake.run(changed.channelId, async () => {
    await editMessage(door, sessionOf(changed.channel), await reading);
  });
});
