/**
 * Converts any JSON value to a string like `String` does, except for objects, because their `toString` may come from
 * the caller.
 */
export function asText(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => (item == null ? '' : asText(item))).join(',');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
