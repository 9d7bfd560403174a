/** Results as clients see them: untouched, but for secrets. */
import { withoutSecrets } from '#core/credentials/redact-values.ts';
import { secretRanges } from '#core/evidence/secret-formats.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';

const mark = '[redacted]';

/**
 * A copy without recognised tokens and without the given values. The shape stays: schemas of results still hold.
 * @param values secrets that were minted for the call.
 * @param found called for each text with a recognised token.
 */
export function redactResult<T extends Json>(
  value: T,
  values: readonly string[] = [],
  found: () => void = () => {},
): T {
  return copy(withoutSecrets(value, values) as Json, false, found) as T;
}

function copy(value: Json, isBytes: boolean, found: () => void): Json {
  if (typeof value === 'string') return text(value, isBytes, found);
  if (Array.isArray(value)) return value.map((item) => copy(item, isBytes, found));
  if (value === null || typeof value !== 'object') return value;
  const bytes = bytesMember(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item, key === bytes, found)]));
}

/** Images, sounds and blobs are base64: a token's form in them is chance, and a cut would break them. */
export const bytesMember = (value: JsonObject): string | undefined =>
  typeof value.mimeType !== 'string' && value.blob === undefined
    ? undefined
    : typeof value.blob === 'string'
      ? 'blob'
      : value.type === 'image' || value.type === 'audio'
        ? 'data'
        : undefined;

function text(shown: string, isBytes: boolean, found: () => void): string {
  if (isBytes) return shown;
  const ranges = secretRanges(shown);
  if (ranges.length === 0) return shown;
  found();
  let kept = '';
  let from = 0;
  for (const [start, end] of ranges) {
    kept += shown.slice(from, start) + mark;
    from = end;
  }
  return kept + shown.slice(from);
}
