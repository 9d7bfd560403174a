/** Reads the names of secret files in `core/catalog/secret-files.yaml` that are literal, for words of prose. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/**
 * Returns names of secret files and ends of their paths, and of harmless files. Globs with a wildcard inside are left out.
 * `names` begin at a folder, `ends` anywhere.
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

/** Expands `{a,b}`, from the inside. */
function alternatives(glob) {
  const [braces, list] = /\{([^{}]*)\}/.exec(glob) ?? [];
  if (braces === undefined) return [glob];
  return [...new Set(list.split(','))].flatMap((each) => alternatives(glob.replace(braces, () => each)));
}

/** Removes what matches any folder or beginning before a name, and any ending or contents after it. */
const withoutAffixes = (glob) =>
  glob
    .replace(/^\*\*(?:\[[^\]]*\])?\/?/, '')
    .replace(/^\//, '')
    .replace(/(?:\[!A-Za-z0-9_\]\*\*|\/\*\*|\*\*)$/, '');
