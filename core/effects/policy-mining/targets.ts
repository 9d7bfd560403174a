/** The targets that a rule names: each one that was seen, and folders where many files of one kind were. */

/** How many files of one kind in one folder stand for the others of that kind there. */
const minExamples = 3;
/** Of a glob: the engine takes 4,096 characters. */
const maxPattern = 3_500;

/**
 * Globs that match the targets. With `general`, files of one ending in one folder become `folder/[!.]*.ending` from `minExamples` on: never
 * another folder, another ending or a name that begins with a dot.
 */
export function patternsOf(targets: readonly string[], general: boolean): string[] {
  const distinct = [...new Set(targets)].sort();
  const folders = new Map<string, string[]>();
  const patterns: string[] = [];
  for (const target of distinct) {
    const kind = general ? kindOf(target) : undefined;
    if (kind === undefined) patterns.push(escaped(target));
    else folders.set(kind, [...(folders.get(kind) ?? []), target]);
  }
  for (const [kind, files] of folders)
    if (files.length >= minExamples) patterns.push(kind);
    else patterns.push(...files.map(escaped));
  return joined(patterns.sort());
}

/** Matches the empty text alone; an empty glob would match every text. */
const nothing = '{,}';

/** `src/a.ts` → `src/[!.]*.ts`; undefined for what is not the plain path of a file below the start. */
function kindOf(target: string): string | undefined {
  const [, folder, ending] =
    /^((?:[A-Za-z0-9_-][\w.-]*\/)+)[A-Za-z0-9_-][\w.-]*(\.[A-Za-z0-9]{1,8})$/.exec(target) ?? [];
  return folder === undefined ? undefined : `${escaped(folder)}[!.]*${escaped(ending!)}`;
}

/** As few globs as hold them all. */
function joined(patterns: readonly string[]): string[] {
  const globs: string[] = [];
  let held: string[] = [];
  const flush = () => {
    if (held.length > 0) globs.push(held.length === 1 ? held[0] || nothing : `{${held.join(',')}}`);
    held = [];
  };
  for (const pattern of patterns) {
    if (held.join(',').length + pattern.length > maxPattern) flush();
    held.push(pattern);
  }
  flush();
  return globs;
}

/** The text as a glob that matches it alone. */
export const escaped = (text: string): string => text.replace(/[*?[\]{}\\,]/g, '\\$&');
