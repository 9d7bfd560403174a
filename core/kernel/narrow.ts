/** Narrows untrusted JSON values. A value of the wrong type counts as absent, so readers do not need an error path. */
import type { Json, JsonObject } from './json.ts';

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectOf = (value: Json | undefined): JsonObject | undefined => (isObject(value) ? value : undefined);

/** Returns the objects in an array, or an empty list if the value is not an array. */
export const objectsOf = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter((item) => isObject(item)) : [];

export const textOf = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

/** Returns the value if it is a non-negative safe integer. */
export const countOf = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** Returns the object without members of null, which some servers send for absent ones. */
export const withoutNulls = (value: JsonObject): JsonObject =>
  Object.values(value).includes(null)
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
    : value;
