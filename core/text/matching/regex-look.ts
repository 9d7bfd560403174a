/** Detects patterns that look like regular expressions [config.warned]. */
import { compileGlob } from './glob.ts';

/** Maximum length of a pattern to check, because some searches take quadratic time. Real patterns are far shorter. */
const maxCharacters = 500;

/** Symbols that do not occur in tool, model or server names and have no meaning in a glob. */
const inNames =
  /^\^|[^\\]\$$|\\[dDwWsSbB.]|\([^()]*\|[^()]*\)|\(\?|\]\+|\)[+*?]|[\])]\{\d|[^*/]\.\+|[_\-\])]\.\*|^\.\*.*\w|\w\|\w/;

/** The same for targets and other text, which may contain dots, pipes, brackets and backslashes. */
const inTexts = /^\^.|\\[dws][+*{]|\(\?[:=!<]|(?<!\$)\([\w\-/.*]+(?:\|[\w\-/.*]+)+\)|\]\+|\.\*\$$|\\\.\w+\$$/;

/** Returns advice on what to write instead of a regular expression. Undefined if the pattern does not look like one. */
export function regexLook(pattern: string, kind: 'name' | 'text'): string | undefined {
  if (pattern.length > maxCharacters || !(kind === 'name' ? inNames : inTexts).test(pattern)) return undefined;
  const instead = asGlob(pattern, kind === 'name' ? '*' : '**');
  const perhaps = instead === undefined || instead === pattern ? '' : `; perhaps you mean ${JSON.stringify(instead)}`;
  return `${JSON.stringify(pattern)} looks like a regular expression; patterns are globs: * matches any characters, {a,b} matches a or b, and a dot matches only a dot${perhaps}`;
}

/** Converts simple regular expressions (anchors, alternatives, `.*`) to a glob. Undefined for all others. */
function asGlob(pattern: string, anything: string): string | undefined {
  const glob = pattern
    .replace(/^\^/, '')
    .replace(/\$$/, '')
    .replace(/\((?:\?:)?([^()]*\|[^()]*)\)/g, (_, inner: string) => `{${inner.replaceAll('|', ',')}}`)
    .replace(/^([\w.-]+(?:\|[\w.-]+)+)$/, (whole) => `{${whole.replaceAll('|', ',')}}`)
    .replace(/\.\*/g, anything)
    .replace(/\.\+/g, `?${anything}`)
    .replace(/\\([.\-/])/g, '$1');
  if (/[\\()+^$|]|\]\{/.test(glob)) return undefined;
  try {
    compileGlob(glob, 'name');
    return glob;
  } catch {
    return undefined;
  }
}
