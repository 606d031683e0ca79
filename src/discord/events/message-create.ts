import { Events } from 'discord.js';
import { isOfDeleted } from '../deleted-channel.js';
import { handleMessage } from '../talk.js';
import { doorEvent } from './on-event.js';

/** Somebody said something; at a start the library may tell so after a removal that came later. */
export const messageCreate = doorEvent(Events.MessageCreate, async (door, message) => {
  if (!isOfDeleted(door, message)) await handleMessage(door, message);
});
