/** Results as clients see them: untouched, but for secrets. */
import { withoutSecrets } from '#core/credentials/redact-values.ts';
import { secretRanges } from '#core/evidence/secret-formats.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';

const mark = '[redacted]';

/**
 * A copy without recognised tokens and without the given values. The shape stays: schemas of results still hold.
 * @param values secrets that were minted for the call.
 */
export function redactResult<T extends Json>(value: T, values: readonly string[] = []): T {
  return copy(withoutSecrets(value, values) as Json, false) as T;
}

function copy(value: Json, isBytes: boolean): Json {
  if (typeof value === 'string') return text(value, isBytes);
  if (Array.isArray(value)) return value.map((item) => copy(item, isBytes));
  if (value === null || typeof value !== 'object') return value;
  const bytes = bytesMember(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item, key === bytes)]));
}

/** Images, sounds and blobs are base64: a token's form in them is chance, and a cut would break them. */
const bytesMember = (value: JsonObject): string | undefined =>
  typeof value.mimeType !== 'string' && value.blob === undefined
    ? undefined
    : typeof value.blob === 'string'
      ? 'blob'
      : value.type === 'image' || value.type === 'audio'
        ? 'data'
        : undefined;

function text(shown: string, isBytes: boolean): string {
  if (isBytes) return shown;
  const ranges = secretRanges(shown);
  if (ranges.length === 0) return shown;
  let kept = '';
  let from = 0;
  for (const [start, end] of ranges) {
    kept += shown.slice(from, start) + mark;
    from = end;
  }
  return kept + shown.slice(from);
}
