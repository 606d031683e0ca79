import type { APIMessage } from 'discord.js';
import type { Ref } from '../clock.js';
import { CALLBACK } from '../constants.js';
import type { Core } from '../core.js';
import { locateMessage } from '../interaction-messages.js';
import type { InteractionCallback, InteractionRecord } from '../interaction-record.js';
import type { WaitOptions } from '../journal.js';
import { asObjects, type Json } from '../json.js';
import { messageJson } from '../render-message.js';

/** A choice that autocomplete offers. */
export type Choice = { name: string; value: string | number };

/** What a bot makes of an interaction; every wait rejects with a dump of the journal. */
export type InteractionWaits = {
  /** The first answer, of whatever type. */
  acknowledged(interaction: Ref, options?: WaitOptions): Promise<InteractionCallback>;
  /** The message that answers: at once, or when a deferral is filled or an update made. `where` waits for a certain state of it. */
  reply(interaction: Ref, where?: (message: APIMessage) => boolean, options?: WaitOptions): Promise<APIMessage>;
  /** The n-th follow-up, from 1. */
  followUp(interaction: Ref, nth?: number, options?: WaitOptions): Promise<APIMessage>;
  /** What autocomplete offers. */
  choices(interaction: Ref, options?: WaitOptions): Promise<Choice[]>;
  /** The modal that is shown. */
  modal(interaction: Ref, options?: WaitOptions): Promise<Json>;
  /** Everything known about it now. */
  record(interaction: Ref): InteractionRecord;
};

type Bound<F> = F extends (interaction: Ref, ...rest: infer R) => infer T ? (...rest: R) => T : never;

/** One interaction: its id, and the waits for what the bot makes of it. */
export type InteractionHandle = { id: string } & { [K in keyof InteractionWaits]: Bound<InteractionWaits[K]> };

/** The waits of a core's interactions. */
export function createInteractionWaits(core: Core): InteractionWaits {
  const record = ({ id }: Ref) => {
    const found = core.interactions.get(id);
    if (found === undefined) throw new Error(`the fake Discord knows no interaction ${id}`);
    return found;
  };
  const message = ({ channelId }: InteractionRecord, id: string | null | undefined) => {
    const channel = core.world.channels.get(channelId);
    const found = channel && locateMessage(core, channel, id ?? null)?.message;
    return found && messageJson(core.world, found);
  };
  const wait = <T>(
    what: string,
    ref: Ref,
    options: WaitOptions | undefined,
    check: (of: InteractionRecord) => T | undefined,
  ) => {
    const of = record(ref);
    return core.journal.waitUntil(() => check(of), { what: `${what} of interaction ${of.name}`, ...options });
  };
  const answered = (of: InteractionRecord, type: number) => (of.callback?.type === type ? of.callback.data : undefined);
  return {
    record,
    acknowledged: (ref, options) => wait('the first answer', ref, options, (of) => of.callback ?? undefined),
    reply: (ref, where = () => true, options) =>
      wait('the answer', ref, options, (of) => {
        if (of.callback === null || of.waiting) return undefined;
        if (of.callback.type === CALLBACK.deferredUpdate && of.edits === 0) return undefined;
        const found = message(of, of.originalId);
        return found !== undefined && where(found) ? found : undefined;
      }),
    followUp: (ref, nth = 1, options) =>
      wait(`follow-up ${nth}`, ref, options, (of) => message(of, of.followUpIds[nth - 1])),
    choices: (ref, options) =>
      wait('the choices', ref, options, (of) => {
        const data = answered(of, CALLBACK.choices);
        return data && (asObjects(data.choices) as Choice[]);
      }),
    modal: (ref, options) => wait('the modal', ref, options, (of) => answered(of, CALLBACK.modal)),
  };
}

/** A handle on an interaction that was started. */
export function createInteractionHandle(core: Core, { id }: InteractionRecord): InteractionHandle {
  const waits = createInteractionWaits(core);
  const ref = { id };
  return {
    id,
    record: () => waits.record(ref),
    acknowledged: (options) => waits.acknowledged(ref, options),
    reply: (where, options) => waits.reply(ref, where, options),
    followUp: (nth, options) => waits.followUp(ref, nth, options),
    choices: (options) => waits.choices(ref, options),
    modal: (options) => waits.modal(ref, options),
  };
}
