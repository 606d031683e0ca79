import type { Client, ClientEvents } from 'discord.js';
import type { Door } from '../door.js';

/** One event that the door listens to; `execute` translates it into a verb of the chatbot. */
export type DoorEvent<Name extends keyof ClientEvents = keyof ClientEvents> = {
  name: Name;
  execute(door: Door, ...args: ClientEvents[Name]): void | Promise<void>;
};

/** Describes an event with its arguments typed by its name. */
export function doorEvent<Name extends keyof ClientEvents>(name: Name, execute: DoorEvent<Name>['execute']): DoorEvent {
  return { name, execute } as unknown as DoorEvent;
}

/** Binds an event; this is the only catch above its handler, and it keeps the bot alive. */
export function onEvent(client: Client, door: Door, event: DoorEvent): void {
  client.on(event.name, async (...args) => {
    try {
      await event.execute(door, ...args);
    } catch (error) {
      door.logger.error({ event: event.name, error }, 'an event was not handled');
    }
  });
}
