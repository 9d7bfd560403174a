/** Whether a path names a file that holds keys or credentials. The tool guard, session risk and the guards of packs agree on it. */
import { fileGlobs, secretFileLists } from '#core/catalog/secret-files.ts';
import { canonicalText, plainReading } from '#core/text/matching/canonical-text.ts';
import { pathGlob } from '#core/text/matching/path-pattern.ts';

/** The patterns of the guards, so that both share one automaton. */
const lists = secretFileLists.map((list) => pathGlob({ ...fileGlobs(list), wholePath: false }));
const isListed = (path: string): boolean => lists.some((list) => list.matches(path));

/** Returns whether a path, in any case and spelling, is on one of the lists of `core/catalog/secret-files.yaml`. */
export const isSecretPath = (path: string): boolean => isListed(plainPath(path));

/** Returns whether a path is on one of the lists, or is one of the files that the configuration adds to them [catalog.own-files]. */
export function secretPathTest(own: readonly string[] = []): (path: string) => boolean {
  if (own.length === 0) return isSecretPath;
  const added = pathGlob({ globs: own, except: [], wholePath: false });
  return (path) => isSecretPath(path) || added.matches(plainPath(path));
}

/** Forms of paths in prose. Members such as `event.key`, and the public keys of SSH tutorials, are not taken for secret files. */
const pathInProse = /[._]|.\//;
const harmlessInProse = /^[a-z_$][\w$]*(?:\.[\w$]+)*\.(?:key|env)$|\.pub$/;

/** @param word of prose, folded and in lower case. Calls that read a file are judged by `isSecretPath`. */
export const namesSecretFile = (word: string): boolean =>
  pathInProse.test(word) && !harmlessInProse.test(word) && isListed(word);

/** A text that is escaped too many times over is left as it is. */
function plainPath(path: string): string {
  try {
    return canonicalText(path, plainReading);
  } catch {
    return path;
  }
}
