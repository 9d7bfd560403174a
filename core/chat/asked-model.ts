/** The model a body asks for, as traces and the record of a refusal name it: a body that is not checked yet may hold anything there. */

import type { JsonObject } from '#core/kernel/json.ts';
import { masked } from '#core/text/secrets/masked.ts';

const longest = 256;

export function askedModel(body: JsonObject | undefined): string {
  const model = body?.model;
  return typeof model === 'string' && model !== '' ? masked(model.slice(0, longest).toWellFormed()) : 'unknown';
}
