/**
 * Records which releases can read a stored configuration. Configurations are stored with all defaults and read
 * strictly, so a member added by a newer release would stop an older one. Members added since schema 1 are therefore
 * listed here. A member with its default value is not stored; with any other value, the version carries the schema
 * number that introduced the member [config.schema-number].
 */
import type { Configuration } from '#core/contracts/config.ts';
import { canonicalize } from '#core/kernel/canonical.ts';

interface SchemaAddition {
  /** Number of the schema that introduced the member, which is one more than that of the previous release. */
  readonly schema: number;
  /**
   * Path of members from the root, with `[]` for each list element and `*` for each map member:
   * `tenants[].api_keys[].label`.
   */
  readonly path: string;
  /** Value that an absent member has; `undefined` for an optional member. */
  readonly default?: unknown;
}

/**
 * Members added since schema 1. A test compares this list and the recorded members of schema 1 with the current schema,
 * so new members must be added here.
 */
export const schemaAdditions: readonly SchemaAddition[] = [];

export const schemaOf = (additions: readonly SchemaAddition[]): number =>
  Math.max(1, ...additions.map(({ schema }) => schema));

/** Latest schema that this release can read. It can also read all earlier schemas. */
export const currentSchema = schemaOf(schemaAdditions);

interface StorableDocument {
  readonly document: unknown;
  /** Lowest schema number with which the document can be read. */
  readonly schema: number;
}

/** Returns the document without members that exist only in newer releases, if they have their default values. */
export function toStorable(configuration: Configuration, additions = schemaAdditions): StorableDocument {
  const document = structuredClone(configuration);
  const used = additions.filter((addition) => occursIn(document, steps(addition.path), addition.default));
  return { document, schema: schemaOf(used) };
}

/** Sets the defaults that `storable` removed, in a document that has just been parsed. */
export function withAdditions<D>(document: D, additions = schemaAdditions): D {
  for (const addition of additions) complete(document, steps(addition.path), addition.default);
  return document;
}

function complete(value: unknown, [step, ...rest]: readonly string[], standard: unknown): void {
  if (step === undefined || typeof value !== 'object' || value === null) return;
  const record = value as Record<string, unknown>;
  if (step === '[]' || step === '*') for (const item of Object.values(record)) complete(item, rest, standard);
  else if (rest.length > 0) complete(record[step], rest, standard);
  else if (standard !== undefined && !Object.hasOwn(record, step)) record[step] = structuredClone(standard);
}

const steps = (path: string): string[] => path.replaceAll('[]', '.[]').split('.');

/** Returns true if the member differs from its default. Otherwise, removes the member. */
function occursIn(value: unknown, [step, ...rest]: readonly string[], standard: unknown): boolean {
  if (step === undefined || typeof value !== 'object' || value === null) return false;
  const record = value as Record<string, unknown>;
  if (step === '[]' || step === '*')
    return Object.values(record)
      .map((item) => occursIn(item, rest, standard))
      .includes(true);
  if (!Object.hasOwn(record, step)) return false;
  if (rest.length > 0) return occursIn(record[step], rest, standard);
  if (record[step] !== undefined && !isSameValue(record[step], standard)) return true;
  delete record[step];
  return false;
}

const isSameValue = (value: unknown, standard: unknown): boolean =>
  standard !== undefined && canonicalize(value) === canonicalize(standard);
