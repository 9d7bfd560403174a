/** Redacts secrets in results for clients. */
import { withoutSecrets } from '#core/execution/credentials/redact-values.ts';
import type { Json } from '#core/kernel/json.ts';
import { secretRanges } from '#core/text/secrets/secret-formats.ts';
import { bytesMember, bytesOfText, textOfBytes } from './text-bytes.ts';

const mark = '[redacted]';

/**
 * Returns a copy without recognised tokens or the given values. The structure is unchanged, so result schemas remain
 * valid.
 * @param values secrets minted for the call.
 * @param found called for each string with a recognised token.
 */
export function redactResult<T extends Json>(
  value: T,
  values: readonly string[] = [],
  found: () => void = () => {},
): T {
  return copy(withoutSecrets(value, values) as Json, found) as T;
}

function copy(value: Json, found: () => void): Json {
  if (typeof value === 'string') return redactText(value, found);
  if (Array.isArray(value)) return value.map((item) => copy(item, found));
  if (value === null || typeof value !== 'object') return value;
  const bytes = bytesMember(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === bytes ? ofBytes(item as string, value.mimeType, found) : copy(item, found),
    ]),
  );
}

/**
 * Redacts Base64 members that contain text. Binary data is unchanged: token-like bytes in it are coincidental, and
 * removing them would corrupt the data.
 */
function ofBytes(base64: string, mediaType: Json | undefined, found: () => void): string {
  const shown = textOfBytes(base64, mediaType);
  return shown === undefined ? base64 : bytesOfText(base64, shown, redactText(shown, found));
}

function redactText(shown: string, found: () => void): string {
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
