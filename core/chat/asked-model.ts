/** Reads the requested model from a body that may not have been validated yet, for traces and records of refusals. */

import type { JsonObject } from '#core/kernel/json.ts';
import { maskSecrets } from '#core/text/secrets/masked.ts';

const longest = 256;

export function askedModel(body: JsonObject | undefined): string {
  const model = body?.model;
  return typeof model === 'string' && model !== '' ? maskSecrets(model.slice(0, longest).toWellFormed()) : 'unknown';
}
