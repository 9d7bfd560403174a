/** Checks key entries for duplicates, empty values and conflicts, and checks the people that they name. */

import { grantsOf } from '#core/configuration/identity/grants.ts';
import type { ConfigurationFile } from '#core/contracts/config.ts';
import { type Path, type Problem, pathText } from '#core/contracts/problems.ts';
import { digestOfKey, type FileKeyObject, keyObject } from '../store/stored-keys.ts';
import { exactlyOne, oneOf } from './name-checks.ts';

/** Length below which a key draws a warning, because it can be guessed. */
const shortKey = 16;

export function checkKeys(file: ConfigurationFile, warnings: string[]): Problem[] {
  const firstUse = new Map<string, string>();
  return file.tenants.flatMap(({ id, api_keys }, t) =>
    api_keys.flatMap((given, k) => {
      const path: Path = ['tenants', t, 'api_keys', k];
      const key = keyObject(given);
      warnAbout(key, path, warnings);
      const sources = exactlyOne({ key: key.key, key_env: key.key_env, key_sha256: key.key_sha256 }, path);
      return [...sources, ...checkReuse(key, path, firstUse), ...checkPerson(file, id, key, path)];
    }),
  );
}

/**
 * Rejects a repeated key. A value used twice would identify two principals, and a variable used twice has the same
 * value.
 */
function checkReuse(key: FileKeyObject, path: Path, firstUse: Map<string, string>): Problem[] {
  const identity = key.key_env === undefined ? digestOfKey(key) : `env ${key.key_env}`;
  if (identity === undefined) return [];
  const first = firstUse.get(identity);
  if (first !== undefined)
    return [{ path, found: `the same key as ${first}`, allowed: 'a key that is listed only once' }];
  firstUse.set(identity, pathText(path));
  return [];
}

function checkPerson(file: ConfigurationFile, tenant: string, key: FileKeyObject, path: Path): Problem[] {
  const people = file.people.map(({ id }) => id);
  const problems = (['person', 'owner'] as const).flatMap((field): Problem[] => {
    const named = key[field];
    if (named === undefined || people.includes(named)) return [];
    return [{ path: [...path, field], found: JSON.stringify(named), allowed: oneOf(people, 'people', named) }];
  });
  if (key.person !== undefined && key.kind !== 'human') {
    const allowed = 'person on keys of kind human; an agent or service has an owner';
    problems.push({ path: [...path, 'person'], found: `a key of kind ${key.kind}`, allowed });
  }
  const person = file.people.find(({ id }) => id === key.person);
  const named = person?.tenants ?? [];
  if (
    person &&
    named.length > 0 &&
    !named.includes('*') &&
    !named.includes(tenant) &&
    !grantsOf(file, person.id).has(tenant)
  ) {
    const allowed = `a person of this tenant (${person.id} has ${person.tenants.join(', ')})`;
    problems.push({ path: [...path, 'person'], found: JSON.stringify(person.id), allowed });
  }
  return problems;
}

function warnAbout(key: FileKeyObject, path: Path, warnings: string[]): void {
  if (key.key !== undefined && key.key.length < shortKey)
    warnings.push(`${pathText(path)}: the key is shorter than ${shortKey} characters.`);
  if (key.kind === 'human' && key.person === undefined)
    warnings.push(`${pathText(path)}: a human key without person cannot vote on approvals.`);
}
