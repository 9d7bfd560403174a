/** Repository files that a call affects. */

import type { ToolCall } from '#core/contracts/envelope.ts';
import { wordsIn } from '#core/policy/classification/tool-words.ts';
import { resolvePath } from '#core/text/matching/canonical-path.ts';
import { canonicalText, plainReading } from '#core/text/matching/canonical-text.ts';

interface TouchedFile {
  readonly path: string;
  readonly removed: boolean;
}

type AddFile = (path: string, removed: boolean) => void;

/** Words in keys that contain paths or lists of files. */
const pathWords = new Set(
  'path paths file files filename filenames filepath filepaths dir directory folder'.split(' '),
);
const listKeys = new Set('changes actions operations tree additions deletions edits updates modifications'.split(' '));
/** Words in keys that describe a file, or name a place outside the repository's tree. */
const otherWords = new Set(
  'content contents mode size sha type encoding url count limit page lines line extension repo repository project namespace text message'.split(
    ' ',
  ),
);
const maxDepth = 4;

/** Returns each path once, resolved inside the repository. Reports paths that leave it or are ambiguous. */
export function filesOf({ parameters }: Pick<ToolCall, 'parameters'>, unclear: Set<string>): TouchedFile[] {
  const found = new Map<string, TouchedFile>();
  const add: AddFile = (raw, removed) => {
    if (raw === '') return;
    const path = normalPath(raw, unclear);
    found.set(path, { path, removed: removed || (found.get(path)?.removed ?? false) });
  };
  fileEffects(parameters, false, 0, add);
  return [...found.values()];
}

/** Visits the members of an object. If `inList` is set, the object is a file and `name` is its path. */
function fileEffects(
  object: Readonly<Record<string, unknown>>,
  inList: boolean,
  depth: number,
  add: AddFile,
  removes = false,
): void {
  const removed = removes || isRemoval(object, inList);
  for (const [key, value] of Object.entries(object)) {
    const holds = holdsPaths(key) || (inList && key === 'name');
    const isList = holds || listKeys.has(key.toLowerCase());
    const below = removed || key.toLowerCase() === 'deletions';
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item === 'string') {
        if (holds || (isList && Array.isArray(value))) add(item, below);
      } else if (typeof item === 'object' && item !== null && depth < maxDepth) {
        // `files: { "a.ts": "…" }`
        if (isList && !Array.isArray(value))
          for (const path of Object.keys(item)) if (/[./]/.test(path) || !isRecord(item)) add(path, below);
        fileEffects(item as Record<string, unknown>, isList, depth + 1, add, below);
      }
    }
  }
}

function holdsPaths(key: string): boolean {
  const words = wordsIn(key);
  if (key === 'source' || key === 'destination') return true;
  return words.some((word) => pathWords.has(word)) && !words.some((word) => otherWords.has(word));
}

/** Checks for the members of a single file, as opposed to a map of files by name. */
const isRecord = (item: object): boolean =>
  Object.keys(item).some((key) => /^\w+$/.test(key) && (holdsPaths(key) || key === 'name' || key === 'content'));

function isRemoval(record: Readonly<Record<string, unknown>>, inList: boolean): boolean {
  const verb = [record.action, record.operation, record.status, record.mode].find((word) => typeof word === 'string');
  if (!inList) return false;
  return /^(?:delete|remove)/i.test(String(verb ?? '')) || record.deleted === true || record.sha === null;
}

/**
 * Checks for names that Windows and macOS resolve to a different name: `.GitHub` for `.github`, a final dot or blank
 * (dropped), streams (`.git::$INDEX_ALLOCATION`), short names (`GIT~1`).
 */
const isReadInSeveralWays = (segment: string): boolean =>
  (/^\.git/i.test(segment) && !segment.startsWith('.git')) ||
  (/[. ]$/.test(segment) && !/^\.{1,2}$/.test(segment)) ||
  /:|^[^.]{1,6}~\d/.test(segment);

function normalPath(raw: string, unclear: Set<string>): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\\\u0000-\u001f\u007f]|%[0-9a-f]{2}/i.test(raw))
    unclear.add('a path is escaped or contains control characters');
  if (raw.split('/').some(isReadInSeveralWays)) unclear.add('a path may lead to a different file on some file systems');
  const path = resolvePath(canonicalText(raw, plainReading).replace(/^\/+/, ''), 'resolve');
  if (path === '..' || path.startsWith('../')) unclear.add('a path climbs out of the repository');
  return path;
}
