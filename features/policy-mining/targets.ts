/** Targets of a proposed rule: each recorded target, or a folder if it contains many files of one kind. */

/** Minimum number of files of one kind in a folder for the rule to cover all files of that kind there. */
const minExamples = 3;
/** Maximum number of characters in a glob; the engine accepts 4,096. */
const maxPattern = 3_500;

/**
 * Returns globs that match the targets. With `general`, at least `minExamples` files with the same extension in the
 * same folder become `folder/[!.]*.ending`, which never matches another folder, another extension or a name with a
 * leading dot.
 */
export function patternsOf(targets: readonly string[], general: boolean): string[] {
  const distinct = [...new Set(targets)].sort();
  const folders = new Map<string, string[]>();
  const patterns: string[] = [];
  for (const target of distinct) {
    const kind = general ? fileKindGlob(target) : undefined;
    if (kind === undefined) patterns.push(escapeGlob(target));
    else folders.set(kind, [...(folders.get(kind) ?? []), target]);
  }
  for (const [kind, files] of folders)
    if (files.length >= minExamples) patterns.push(kind);
    else patterns.push(...files.map(escapeGlob));
  return joinToGlobs(patterns.sort());
}

/** Matches only an empty target; an empty glob would match every target. */
const emptyTextGlob = '{,}';

/**
 * Returns the glob for a file's kind: `src/[!.]*.ts` for `src/a.ts`. Undefined if the target is not a plain file path
 * in the workspace.
 */
function fileKindGlob(target: string): string | undefined {
  const [, folder, ending] =
    /^((?:[A-Za-z0-9_-][\w.-]*\/)+)[A-Za-z0-9_-][\w.-]*(\.[A-Za-z0-9]{1,8})$/.exec(target) ?? [];
  return folder === undefined ? undefined : `${escapeGlob(folder)}[!.]*${escapeGlob(ending!)}`;
}

/** Joins patterns into as few globs as possible. */
function joinToGlobs(patterns: readonly string[]): string[] {
  const globs: string[] = [];
  let held: string[] = [];
  const flush = () => {
    if (held.length > 0) globs.push(held.length === 1 ? held[0] || emptyTextGlob : `{${held.join(',')}}`);
    held = [];
  };
  for (const pattern of patterns) {
    if (held.join(',').length + pattern.length > maxPattern) flush();
    held.push(pattern);
  }
  flush();
  return globs;
}

/** Escapes a string as a glob that matches only this string. */
export const escapeGlob = (text: string): string => text.replace(/[*?[\]{}\\,]/g, '\\$&');
