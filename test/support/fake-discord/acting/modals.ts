import { asObject, asObjects, asString, type Json } from '../json.js';
import { COMPONENT } from '../rest/components.js';

/** What a user writes or chooses in a modal, by custom id. */
export type ModalValues = Record<string, string | readonly string[]>;

/** The filled-in components of a modal, in the shape of its rows or labels. @throws for an unknown or missing field. */
export function fillModal(modal: Json, values: ModalValues): Json[] {
  const used = new Set<string>();
  const filled = asObjects(modal.components).flatMap((outer, at): Json[] => {
    if (outer.type === COMPONENT.label) {
      return [{ type: COMPONENT.label, id: at + 1, component: fillField(asObject(outer.component), values, used) }];
    }
    if (outer.type !== COMPONENT.row) return [];
    return [
      {
        type: COMPONENT.row,
        id: at + 1,
        components: asObjects(outer.components).map((each) => fillField(each, values, used)),
      },
    ];
  });
  const stray = Object.keys(values).find((id) => !used.has(id));
  if (stray !== undefined) throw new Error(`the modal has no field ${stray} (it has: ${[...used].join(', ')})`);
  return filled;
}

function fillField(field: Json, values: ModalValues, used: Set<string>): Json {
  const id = String(field.custom_id);
  used.add(id);
  const given = values[id] ?? asString(field.value) ?? '';
  if (field.required !== false && given.length === 0) throw new Error(`the field ${id} of the modal is required`);
  const most = Number(field.max_length ?? 4000);
  if (typeof given === 'string' && given.length > most) throw new Error(`the field ${id} takes ${most} characters`);
  const value = field.type === COMPONENT.textInput ? { value: given } : { values: given };
  return { type: field.type, custom_id: id, id: 1, ...value };
}
