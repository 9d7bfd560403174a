/**
 * Reads responses without trusting their structure. Missing or malformed fields are treated as empty, and unknown ones
 * are ignored.
 */

export type Fields = Readonly<Record<string, unknown>>;

export const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : []);

export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const count = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
