/** Reads the literal names of secret files in `core/catalog/secret-files.yaml`, to recognise them as words in prose. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/**
 * Returns names of secret files and the ends of their paths, and those of harmless files. Globs with a wildcard in the
 * middle are left out. `names` begin at a folder, `ends` anywhere.
 */
export function secretNames() {
  const catalog = parse(readFileSync(new URL('../../core/catalog/secret-files.yaml', import.meta.url), 'utf8'));
  const lists = Object.values(catalog);
  const files = lists.flatMap((list) => list.files);
  const paths = files.flatMap((entry) => entry.paths ?? []).flatMap(alternatives);
  const names = files.flatMap((entry) => entry.names ?? []).flatMap(alternatives);
  const isEnd = (glob) => /^\*\*[^/]/.test(glob);
  return {
    names: literals([...names, ...paths.filter((glob) => !isEnd(glob))]),
    ends: literals(paths.filter(isEnd)),
    except: literals(lists.flatMap(({ except = [] }) => except).flatMap(alternatives)),
  };
}

const literals = (globs) => [...new Set(globs.map(withoutAffixes).filter((each) => /^[a-z0-9._/-]{3,}$/.test(each)))];

/** Expands `{a,b}`, starting with the innermost braces. */
function alternatives(glob) {
  const [braces, list] = /\{([^{}]*)\}/.exec(glob) ?? [];
  if (braces === undefined) return [glob];
  return [...new Set(list.split(','))].flatMap((each) => alternatives(glob.replace(braces, () => each)));
}

/** Removes the parts of a glob that match any folder or prefix before a name, and any suffix or contents after it. */
const withoutAffixes = (glob) =>
  glob
    .replace(/^\*\*(?:\[[^\]]*\])?\/?/, '')
    .replace(/^\//, '')
    .replace(/(?:\[!A-Za-z0-9_\]\*\*|\/\*\*|\*\*)$/, '');
