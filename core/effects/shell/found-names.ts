/** File names that a `find` may print, if its expression restricts all of them. */
import { splitNames } from './arguments.ts';
import { findWords } from './profiles/finding.ts';
import { namesSourcesAnywhere } from './source-names.ts';
import { type Arg, argOf } from './words.ts';

const wordsOfKinds = (...kinds: (keyof typeof findWords)[]): ReadonlySet<string> =>
  new Set(kinds.flatMap((kind) => splitNames(findWords[kind])));
const withValue = wordsOfKinds('words', 'texts', 'reads');
const running = wordsOfKinds('runs');
/** Words that combine tests with "or", or that end the traversal. */
const loosening = new Set(['-o', '-or', ',', '-prune', '(', ')']);
const byName = new Set(['-name', '-iname']);

/**
 * Returns a pattern of source files for each name that may be found, or undefined if other names may be found as well.
 * All tests of the expression must match, except within one group such as `( -name '*.ts' -o -name '*.tsx' )`.
 */
export function foundNames(expression: readonly Arg[]): readonly string[] | undefined {
  let found: readonly string[] | undefined;
  for (let at = 0; at < expression.length; at++) {
    const { text } = expression[at]!;
    if (text === '(') {
      const end = expression.findIndex((arg, i) => i > at && arg.text === ')');
      const group = groupOf(expression.slice(at + 1, end < 0 ? undefined : end));
      if (end < 0 || !group) return undefined;
      found ??= sourcesIn(group);
      at = end;
    } else if (loosening.has(text)) return undefined;
    else if (text === '!' || text === '-not') {
      // An exclusion narrows the result further but does not restrict the other names.
      if (!withValue.has(expression[at + 1]?.text ?? '')) return undefined;
      at += 2;
    } else if (byName.has(text)) found ??= sourcesIn([expression[++at]]);
    else if (withValue.has(text)) at++;
    else if (running.has(text)) at = endOfCommand(expression, at);
  }
  return found;
}

/** Returns the index of the word that ends the `-exec` command, or the length if there is none. */
export function endOfCommand(args: readonly Arg[], at: number): number {
  const end = args.findIndex(
    (arg, i) => i > at && (arg.text === ';' || (arg.text === '+' && args[i - 1]?.text === '{}')),
  );
  return end < 0 ? args.length : end;
}

/** Returns the names of `-name A -o -name B`, or undefined for any other expression. */
function groupOf(words: readonly Arg[]): readonly Arg[] | undefined {
  const names = words.filter((_, i) => i % 3 === 1);
  const isNames = words.every(({ text }, i) =>
    i % 3 === 0 ? byName.has(text) : i % 3 === 2 ? text === '-o' || text === '-or' : true,
  );
  return isNames && words.length % 3 === 2 ? names : undefined;
}

function sourcesIn(names: readonly (Arg | undefined)[]): readonly string[] | undefined {
  const isSources = (arg: Arg | undefined): arg is Arg => arg?.known === true && namesSourcesAnywhere(arg.text);
  return names.every(isSources) ? names.map(({ text }) => text) : undefined;
}

/** Returns the files that may be found below these folders, as words with a wildcard. */
export const filesBelow = (roots: readonly Arg[], names: readonly string[]): readonly Arg[] =>
  roots.flatMap((root) =>
    names.map((name) => ({
      ...argOf(`${root.text.replace(/\/+$/, '')}/${name}`),
      known: root.known,
      splits: root.splits,
      glob: root.glob || /[*?[]/.test(name),
    })),
  );
