import { Events } from 'discord.js';
import { handleMessage } from '../talk.js';
import { doorEvent } from './on-event.js';

/** Somebody said something. */
export const messageCreate = doorEvent(Events.MessageCreate, handleMessage);
