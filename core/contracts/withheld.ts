/** Markers that replace sensitive values in evidence and in pending requests. */

/** Marker that replaces a whole value. */
export const wholeDigest = 'sha256-salted';
/** Prefix of the digest that replaces part of a string. */
export const partDigest = '[redacted:';

/** Checks whether all or part of a value is withheld. */
export function hasDigest(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(partDigest) || value.includes(wholeDigest);
  if (typeof value !== 'object' || value === null) return false;
  return ('redacted' in value && value.redacted === wholeDigest) || Object.values(value).some(hasDigest);
}
