/** Describes, for a report, which parts of a call are withheld from its entry. */
import { hasDigest, partDigest } from '#core/contracts/withheld.ts';
import { childPath } from '#core/text/secrets/json-path.ts';

/**
 * Fields that are recorded only in part if a blocked call is too long: just their beginning [evidence.block-bounded].
 */
const shortenedFields: ReadonlySet<string> = new Set(['$.parameters', '$.sent_with']);
const maxNamedPaths = 10;

/**
 * Returns one sentence for each reason: withheld entirely, withheld in part, or too long.
 * @param paths paths recorded as `withheld`.
 * @param entry the entry that records the call.
 */
export function describeWithheld(paths: readonly string[], entry: Readonly<Record<string, unknown>>): string {
  if (paths.length === 0) return 'Nothing is withheld.';
  const values = valuesAt(new Set(paths), entry);
  const isCut = (path: string): boolean => entry.parameters_head !== undefined && shortenedFields.has(path);
  const isPart = (path: string): boolean => !isCut(path) && isPartly(values.get(path));
  const sensitive = paths.filter((path) => !isCut(path));
  return [
    sentence(
      sensitive.filter((path) => !isPart(path)),
      ['One sensitive value is', 'sensitive values are'],
      'withheld, recorded as salted digests',
    ),
    sentence(
      sensitive.filter(isPart),
      ['One text is', 'texts are'],
      'recorded without sensitive parts, which are salted digests',
    ),
    sentence(
      paths.filter(isCut),
      ['One member is', 'members are'],
      'too long for the entry, which records only the beginning and the SHA-256',
    ),
  ]
    .filter((each) => each !== undefined)
    .join(' ');
}

function sentence(
  paths: readonly string[],
  [one, several]: readonly [string, string],
  how: string,
): string | undefined {
  if (paths.length === 0) return undefined;
  const more = paths.length > maxNamedPaths ? ` and ${paths.length - maxNamedPaths} more` : '';
  const subject = paths.length === 1 ? one : `${paths.length} ${several}`;
  return `${subject} ${how}: ${paths.slice(0, maxNamedPaths).join(', ')}${more}.`;
}

/** Reports whether a string contains other words besides its digest. */
const isPartly = (value: unknown): boolean =>
  typeof value === 'string' &&
  hasDigest(value) &&
  !(value.startsWith(partDigest) && value.indexOf(']') === value.length - 1);

function valuesAt(paths: ReadonlySet<string>, entry: object): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  const walk = (value: unknown, path: string): void => {
    if (paths.has(path)) found.set(path, value);
    if (typeof value !== 'object' || value === null || found.size === paths.size) return;
    for (const [key, item] of Object.entries(value))
      walk(item, childPath(path, Array.isArray(value) ? Number(key) : key));
  };
  walk(entry, '$');
  return found;
}
