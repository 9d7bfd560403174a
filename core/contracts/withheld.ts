/** What stands in evidence and in requests that wait in the place of a sensitive value. */

/** In the place of a whole value. */
export const wholeDigest = 'sha256-salted';
/** What begins the digest that stands in the place of a part of a text. */
export const partDigest = '[redacted:';

/** Whether a value, or a part of it, is withheld. */
export function hasDigest(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(partDigest) || value.includes(wholeDigest);
  if (typeof value !== 'object' || value === null) return false;
  return ('redacted' in value && value.redacted === wholeDigest) || Object.values(value).some(hasDigest);
}
