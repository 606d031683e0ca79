import { Events } from 'discord.js';
import { handleInteraction } from '../interactions.js';
import { doorEvent } from './on-event.js';

/** Somebody gave a command, pressed a button or sent a form. */
export const interactionCreate = doorEvent(Events.InteractionCreate, handleInteraction);
