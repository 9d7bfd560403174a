/**
 * Recognises paths of files that contain keys or credentials, for the tool guard, session risk and the guards in packs.
 */
import { fileGlobs, secretFileLists } from '#core/catalog/secret-files.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { plainPath } from '#core/text/matching/canonical-text.ts';
import { pathGlob } from '#core/text/matching/path-pattern.ts';

/** Patterns of the guards, compiled in the same way so that both uses share one automaton. */
const lists = secretFileLists.map((list) => pathGlob({ ...fileGlobs(list), wholePath: false }));
const isListed = (path: string): boolean => lists.some((list) => list.matches(path));

/** Checks whether a path, in any case and spelling, is on one of the lists in `core/catalog/secret-files.yaml`. */
export const isSecretPath = (path: string): boolean => isListed(plainPath(path));

/**
 * Returns a test that matches paths against the lists and the files added in the configuration [policy.secret-files].
 * @param listed false to omit the catalog's lists.
 */
export function secretPathTest(own: readonly string[] = [], listed = true): (path: string) => boolean {
  if (own.length === 0) return listed ? isSecretPath : () => false;
  const added = pathGlob({ globs: own, except: [], wholePath: false });
  return (path) => (listed && isSecretPath(path)) || added.matches(plainPath(path));
}

/**
 * Matches the forms that file paths take in prose. Members such as `event.key` and SSH public keys do not count as
 * secret files.
 */
const pathInProse = /[._]|.\//;
const harmlessInProse = /^[a-z_$][\w$]*(?:\.[\w$]+)*\.(?:key|env)$|\.pub$/;

/** Test for a word of prose, folded and in lower case. Calls that read a file are tested with `isSecretPath`. */
export type SecretFileTest = (word: string) => boolean;

export const namesSecretFile: SecretFileTest = (word) =>
  pathInProse.test(word) && !harmlessInProse.test(word) && isListed(word);

/**
 * Returns a test that matches words against the lists and the files added in the configuration [policy.secret-files].
 */
export const secretFileTest = (own: readonly string[]): SecretFileTest =>
  own.length === 0 ? namesSecretFile : ownFileTest(own);

const ownFileTest = remembered((own: readonly string[]): SecretFileTest => {
  const added = pathGlob({ globs: own, except: [], wholePath: false });
  return (word) => namesSecretFile(word) || (pathInProse.test(word) && added.matches(word));
});
