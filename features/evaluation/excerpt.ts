/** Selects the calls that are sent to the evaluator, and truncates their texts. */
import { sha256 } from '#core/kernel/canonical.ts';
import { maskSecrets } from '#core/text/secrets/masked.ts';

/**
 * Reports whether a call is sampled at the given rate, 0 to 1. The result depends on the call's id, so all processes
 * agree and callers cannot influence it.
 */
export const isSampled = (envelopeId: string, rate: number): boolean =>
  rate > 0 && Number.parseInt(sha256(`sampled:${envelopeId}`).slice(0, 12), 16) / 2 ** 48 < rate;

/** Number of extra characters searched, so that a secret that begins before the truncation point is recognised. */
const margin = 4_096;

/**
 * Returns the beginning of a text without its secrets.
 * @param most code points to keep: a character outside the basic plane is never split
 */
export function excerptOf(text: string, most: number): { readonly text: string; readonly truncated: boolean } {
  const shown = maskSecrets(text.slice(0, 2 * most + margin).toWellFormed(), '[redacted]');
  const points = [...shown.slice(0, 2 * most)];
  const kept = points.slice(0, most).join('');
  return { text: kept, truncated: kept.length < shown.length || text.length > 2 * most + margin };
}
