/**
 * Names of request members that are not sent to the provider, for the header and for evidence
 * [chat.translated-members].
 */

import type { Json } from '#core/kernel/json.ts';

const maxNames = 32;
const maxCharacters = 64;
const maxInHeader = 500;

/**
 * Checks whether the caller wants the provider to store a chat completion. The member is left out, because the gateway
 * has no record for reading or deleting the completion [responses.stored].
 */
export const keepsCompletion = (store: Json | undefined): boolean =>
  store !== undefined && store !== null && store !== false;

/** Limits the number and length of names sent by the caller. */
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
