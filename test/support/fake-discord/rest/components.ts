import type { APIMessage } from 'discord.js';
import { invalidForm } from '../api-error.js';
import { asObject, asObjects, asString, type Json } from '../json.js';
import { atMost, between, noMoreThan } from './limits.js';

/** Component types, as Discord numbers them. */
export const COMPONENT = { row: 1, button: 2, stringSelect: 3, textInput: 4, lastSelect: 8, label: 18 } as const;

const LINK_STYLE = 5;

/** The components of a message, checked against the documented limits. */
export function readComponents(value: unknown, v2: boolean): NonNullable<APIMessage['components']> {
  const components = asObjects(value);
  const all = flattenComponents(components);
  if (v2) noMoreThan('components', all, 40);
  else {
    noMoreThan('components', components, 5);
    const stray = components.findIndex(({ type }) => type !== COMPONENT.row);
    if (stray >= 0) throw invalidForm(`components.${stray}.type`, 'BASE_TYPE_CHOICES', 'Value must be one of {1}.');
  }
  for (const component of all) checkComponent(component);
  checkUnique(all);
  return components as unknown as NonNullable<APIMessage['components']>;
}

/** A component and all that is in it. */
export function flattenComponents(components: readonly Json[]): Json[] {
  return components.flatMap((component) => {
    const inner = [...asObjects(component.components), ...[component.accessory, component.component].map(asObject)];
    return [component, ...flattenComponents(inner.filter(({ type }) => type !== undefined))];
  });
}

function checkComponent(component: Json): void {
  const { type } = component;
  if (type === COMPONENT.row) {
    const inner = asObjects(component.components);
    if (inner.length === 0)
      throw invalidForm('components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5 in length.');
    noMoreThan('components', inner, 5);
  }
  if (type === COMPONENT.button) {
    atMost('components.label', component.label, 80);
    if (component.style !== LINK_STYLE) between('components.custom_id', component.custom_id, 1, 100);
    else between('components.url', component.url, 1, 512);
  }
  if (typeof type === 'number' && type >= COMPONENT.stringSelect && type <= COMPONENT.lastSelect) {
    between('components.custom_id', component.custom_id, 1, 100);
    atMost('components.placeholder', component.placeholder, 150);
    noMoreThan('components.options', asObjects(component.options), 25);
  }
}

function checkUnique(components: readonly Json[]): void {
  const ids = components.map(({ custom_id: id }) => asString(id)).filter((id) => id !== undefined);
  if (new Set(ids).size < ids.length) {
    throw invalidForm('components', 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated');
  }
}
