/** Patterns that their author took for regular expressions [config.regex-look]. */
import { compileGlob } from './glob.ts';

/** What people write is far shorter, and some signs are searched for in quadratic time. */
const maxCharacters = 500;

/** Signs that no name of a tool, model or server has, and that mean nothing in a glob. */
const inNames =
  /^\^|[^\\]\$$|\\[dDwWsSbB.]|\([^()]*\|[^()]*\)|\(\?|\]\+|\)[+*?]|[\])]\{\d|[^*/]\.\+|[_\-\])]\.\*|^\.\*.*\w|\w\|\w/;

/** The same for targets and other texts, which may hold dots, pipes, brackets and backslashes of their own. */
const inTexts = /^\^.|\\[dws][+*{]|\(\?[:=!<]|(?<!\$)\([\w\-/.*]+(?:\|[\w\-/.*]+)+\)|\]\+|\.\*\$$|\\\.\w+\$$/;

/** Returns what to write instead of a pattern that looks like a regular expression; undefined for any other. */
export function regexLook(pattern: string, kind: 'name' | 'text'): string | undefined {
  if (pattern.length > maxCharacters || !(kind === 'name' ? inNames : inTexts).test(pattern)) return undefined;
  const instead = asGlob(pattern, kind === 'name' ? '*' : '**');
  const perhaps = instead === undefined || instead === pattern ? '' : `; perhaps you mean ${JSON.stringify(instead)}`;
  return `${JSON.stringify(pattern)} looks like a regular expression; patterns are globs: * stands for any characters, {a,b} for either, and a dot for itself${perhaps}`;
}

/** The glob for the plain parts of regular expressions: anchors, alternatives, `.*`. Undefined if more than that is left. */
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
