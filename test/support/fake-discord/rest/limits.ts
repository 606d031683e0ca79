import { invalidForm } from '../api-error.js';
import { asString } from '../json.js';

/** 50035 unless the text, when there is one, is at most `max` UTF-16 units long. */
export function atMost(path: string, value: unknown, max: number): void {
  if ((asString(value) ?? '').length > max) {
    throw invalidForm(path, 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`);
  }
}

/** 50035 unless the text is there and `min` to `max` long. */
export function between(path: string, value: unknown, min: number, max: number): void {
  const text = asString(value);
  if (text === undefined || text === '') throw invalidForm(path, 'BASE_TYPE_REQUIRED', 'This field is required');
  if (text.length < min || text.length > max) {
    throw invalidForm(path, 'BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`);
  }
}

/** 50035 when the list is longer than `max`. */
export function noMoreThan(path: string, list: readonly unknown[], max: number): void {
  if (list.length > max) throw invalidForm(path, 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`);
}
