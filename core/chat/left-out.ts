/** The names of what a request holds and the provider does not get, for the header and for evidence [chat.left-out]. */

import type { Json } from '#core/kernel/json.ts';

const maxNames = 32;
const maxCharacters = 64;
const maxInHeader = 500;

/** Whether a chat completion asks its provider to keep it: the gateway has no record to read or delete it by, so that is left out [chat.store]. */
export const keepsCompletion = (store: Json | undefined): boolean =>
  store !== undefined && store !== null && store !== false;

/** Names come from the caller. */
export const boundedNames = (names: readonly string[]): string[] =>
  names.slice(0, maxNames).map((name) => name.slice(0, maxCharacters).toWellFormed());

export const leftOutHeader = (names: readonly string[]): Record<string, string> =>
  names.length === 0
    ? {}
    : {
        'x-left-out': names
          .join(', ')
          .replace(/[^\x20-\x7e]/g, '?')
          .slice(0, maxInHeader),
      };
