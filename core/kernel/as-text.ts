/** Any JSON value as text, as `String` gives it, but for objects: `String` calls their own `toString`, which a caller may have sent. */
export function asText(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => (item == null ? '' : asText(item))).join(',');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
