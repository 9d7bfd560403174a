/** Markers that replace sensitive values in evidence and pending requests. */

/** Marker that replaces a whole value. */
export const wholeDigest = 'sha256-salted';
/** Prefix of the digest that replaces a part of a text. */
export const partDigest = '[redacted:';

/** Checks whether a value, or a part of it, is withheld. */
export function hasDigest(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(partDigest) || value.includes(wholeDigest);
  if (typeof value !== 'object' || value === null) return false;
  return ('redacted' in value && value.redacted === wholeDigest) || Object.values(value).some(hasDigest);
}
