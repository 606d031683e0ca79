import type { ModelErrorCode } from '../conversation/errors.js';

const FILTERED = /content_filter|content management policy|ResponsibleAIPolicyViolation/i;
const NO_CREDIT =
  /insufficient[_ -]?(quota|balance)|exceeded your current quota|billing|credit balance|out of credits/i;
const NO_SUCH_MODEL = /model_not_found|model[^.]{0,120}(not exist|not found)|not a valid model|invalid model/i;
/** A chat template that refuses the prompt's shape: trying again changes nothing. */
const TEMPLATE = /jinja|chat template|roles must alternate|system message must be|unexpected message role/i;

/**
 * What an error status means, by status and text, since classes and codes differ from server to server. Prompts that are
 * too long are told apart beforehand.
 */
export function codeOfStatus(status: number, text: string): ModelErrorCode {
  if (status === 401 || status === 403) return 'bad-key';
  if (status === 402) return 'quota';
  if (status === 429) return NO_CREDIT.test(text) ? 'quota' : 'rate-limited';
  if (FILTERED.test(text)) return 'filtered';
  if (TEMPLATE.test(text)) return 'rejected';
  if (status < 500 && NO_SUCH_MODEL.test(text)) return 'unknown-model';
  if (status === 404 || status === 405) return 'not-an-api';
  if (status === 413) return 'context-overflow';
  return status === 408 || status >= 500 ? 'server-error' : 'rejected';
}
