/** Normalises a call's repository to `owner/name`. */

import type { ToolCall } from '#core/contracts/envelope.ts';
import { wordsIn } from '#core/policy/classification/tool-words.ts';

const address = /^(?:(?:https?|ssh|git):\/\/(?:[^@/]*@)?[^/]+\/|[\w.-]+@[\w.-]+:(?!\/\/))(.+)$/i;

/** Parameters that name the owner, compared word by word: `repoOwner` and `repo_owner` are equal. */
const holders: ReadonlySet<string> = new Set([
  ...['owner', 'org', 'organization', 'workspace', 'namespace'],
  ...['repo owner', 'repository owner', 'owner name', 'org name'],
]);
/** Parameters that name the repository. */
const names: ReadonlySet<string> = new Set([
  ...['repo', 'repository', 'full name', 'project id', 'project path', 'project slug'],
  ...['repo', 'repository'].flatMap((word) => ['name', 'slug', 'id', 'full name'].map((of) => `${word} ${of}`)),
]);

/** Returns at least one repository. If the call contradicts itself, returns several and reports the contradiction. */
export function repositoriesOf({ target, parameters }: ToolCall, unclear: Set<string>): string[] {
  const given = (keys: ReadonlySet<string>): string[] =>
    Object.entries(parameters).flatMap(([key, value]) =>
      typeof value === 'string' && keys.has(wordsIn(key).join(' ')) ? [value] : [],
    );
  const owners = given(holders);
  const found = new Set<string>();
  for (const name of given(names)) {
    const plain = repositoryName(name);
    if (owners.length === 0 || plain.includes('/')) found.add(plain);
    else for (const owner of owners) found.add(`${owner}/${plain}`);
  }
  const named = repositoryName(target);
  if (found.size === 0 || isRepository(target, named)) found.add(named);
  // `web` is a short form of `acme/web`.
  const all = [...found].filter((one) => ![...found].some((other) => other !== one && sameTail(other, one)));
  const ownersOf = all.flatMap((one) => (/^[^/]+\/[^/]+$/.test(one) ? [one.slice(0, one.indexOf('/'))] : []));
  const distinct = (texts: readonly string[]) => new Set(texts.map((text) => text.toLowerCase())).size;
  if (distinct(all) > 1 || (ownersOf.length > 0 && distinct([...ownersOf, ...owners]) > 1))
    unclear.add('the call names more than one repository');
  return all;
}

/** Removes the address, `.git` and slashes at both ends. */
function repositoryName(text: string): string {
  const plain = (address.exec(text.trim())?.[1] ?? text.trim()).replace(/^\/+|\/+$/g, '');
  return plain.replace(/\.git$/i, '');
}

/** Checks for exactly one slash: a target with more slashes is a path in a repository. */
const isRepository = (text: string, named: string): boolean => address.test(text) || /^[\w.-]+\/[\w.-]+$/.test(named);

const sameTail = (longer: string, shorter: string): boolean =>
  longer.toLowerCase().endsWith(`/${shorter.toLowerCase()}`);
