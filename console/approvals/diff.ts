/**
 * The difference between an old and a new text as rows to display [console.card]. The rows contain every line of both.
 * If a diff cannot show them correctly (binary, too different), a note says so.
 */
import { diffLines } from 'diff';
import { hasDigest, partDigest } from '#core/contracts/withheld.ts';

export interface Row {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
  /** Line numbers in the old and the new text. */
  readonly before?: number;
  readonly after?: number;
  /** Start and end of the part that differs from the line it replaces. */
  readonly changed?: readonly [start: number, end: number];
}

export interface Difference {
  readonly rows: readonly Row[];
  readonly added: number;
  readonly removed: number;
  /** Notes on facts that the rows do not show. */
  readonly notes: readonly string[];
}

/**
 * Maximum number of edits to align. Above that, alignment takes too long, and all old lines are shown before the new
 * ones.
 */
const maxEdits = 1_000;

/** @param old the old text; undefined if it is not known. */
export function differenceOf(old: string | undefined, fresh: string): Difference {
  const [before, after] = [old === undefined ? undefined : withoutSalts(old), withoutSalts(fresh)];
  const rows = before === undefined ? linesOf(after).map(addedRow) : alignedRows(before, after);
  return {
    rows: withChangedParts(rows),
    added: rows.filter(({ kind }) => kind === 'added').length,
    removed: rows.filter(({ kind }) => kind === 'removed').length,
    notes: [
      ...notesOn(before, after),
      ...(hasDigest([old, fresh]) ? ['Parts that are redacted are shown as [redacted] and not compared.'] : []),
    ],
  };
}

/** Redacted parts, which have different digests even if their values are equal. */
const redacted = new RegExp(`\\${partDigest}[^\\]]*\\]`, 'g');
const withoutSalts = (text: string): string => text.replace(redacted, '[redacted]');

const addedRow = (text: string, at: number): Row => ({ kind: 'added', text, after: at + 1 });

/** Returns the lines without their line breaks; a line break at the end does not start another line. */
export function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function alignedRows(before: string, after: string): readonly Row[] {
  const changes = diffLines(before, after, { maxEditLength: maxEdits, stripTrailingCr: false });
  const parts = changes ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  const rows: Row[] = [];
  let [old, fresh] = [0, 0];
  for (const { value, added, removed } of parts)
    for (const text of linesOf(value)) {
      if (added) rows.push({ kind: 'added', text, after: ++fresh });
      else if (removed) rows.push({ kind: 'removed', text, before: ++old });
      else rows.push({ kind: 'same', text, before: ++old, after: ++fresh });
    }
  return rows;
}

/**
 * Marks the differing parts in lines that replace each other: the first removed line and the first added one, and so
 * on.
 */
function withChangedParts(rows: readonly Row[]): readonly Row[] {
  const marked = [...rows];
  for (const { removed, added } of changesIn(rows))
    for (let at = 0; at < Math.min(removed.length, added.length); at++) {
      const [old, fresh] = [removed[at]!, added[at]!];
      const [one, other] = changedParts(rows[old]!.text, rows[fresh]!.text);
      if (one) marked[old] = { ...rows[old]!, changed: one };
      if (other) marked[fresh] = { ...rows[fresh]!, changed: other };
    }
  return marked;
}

/** Returns the indexes of the removed and added rows of each change. */
function* changesIn(rows: readonly Row[]): Iterable<{ readonly removed: number[]; readonly added: number[] }> {
  let change = { removed: [] as number[], added: [] as number[] };
  for (const [index, { kind }] of rows.entries()) {
    if (kind !== 'same') change[kind].push(index);
    else if (change.removed.length + change.added.length > 0) {
      yield change;
      change = { removed: [], added: [] };
    }
  }
  if (change.removed.length + change.added.length > 0) yield change;
}

type CharacterRange = readonly [start: number, end: number] | undefined;

function changedParts(old: string, fresh: string): readonly [CharacterRange, CharacterRange] {
  const [a, b] = [[...old], [...fresh]];
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  // Lines that share little are marked as a whole.
  if (start + end < Math.min(a.length, b.length) / 3) return [undefined, undefined];
  const part = (characters: readonly string[]): CharacterRange => {
    const from = characters.slice(0, start).join('').length;
    const to = from + characters.slice(start, characters.length - end).join('').length;
    return from === to ? undefined : [from, to];
  };
  return [part(a), part(b)];
}

function notesOn(before: string | undefined, after: string): string[] {
  const notes: string[] = [];
  if (isBinary(after) || (before !== undefined && isBinary(before)))
    notes.push('This is not plain text: invisible characters are spelled out, such as \\u{0}.');
  const [old, fresh] = [before === undefined ? undefined : lineEnds(before), lineEnds(after)];
  if (old !== undefined && fresh !== 'none' && old !== 'none' && old !== fresh)
    notes.push(`Line endings change from ${old} to ${fresh}.`);
  else if (fresh !== 'none' && fresh !== 'LF') notes.push(`Line endings are ${fresh}: CR is shown as \\u{d}.`);
  if (after !== '' && !after.endsWith('\n') && (before === undefined || before.endsWith('\n')))
    notes.push('No newline after the last line.');
  if (before !== undefined && before !== '' && !before.endsWith('\n') && after.endsWith('\n'))
    notes.push('A newline is added after the last line.');
  return notes;
}

/** Control characters other than tab and line ends do not occur in text files. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that make a text binary
const isBinary = (text: string): boolean => /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/.test(text);

function lineEnds(text: string): 'none' | 'LF' | 'CRLF' | 'mixed' {
  const all = text.split('\n').length - 1;
  const crlf = text.split('\r\n').length - 1;
  if (all === 0) return 'none';
  return crlf === 0 ? 'LF' : crlf === all ? 'CRLF' : 'mixed';
}

/** A run of rows that is shown, or of unchanged rows that can be expanded. */
interface Section {
  readonly rows: readonly Row[];
  readonly folded: boolean;
}

const context = 3;
/** Number of rows to show at first; a button shows the rest. */
export const maxRows = 400;

/** Folds unchanged rows that are more than three lines from a change. */
export function sectionsOf(rows: readonly Row[]): readonly Section[] {
  const near = new Set<number>();
  for (const [index, { kind }] of rows.entries())
    if (kind !== 'same') for (let at = index - context; at <= index + context; at++) near.add(at);
  const sections: { rows: Row[]; folded: boolean }[] = [];
  for (const [index, row] of rows.entries()) {
    const folded = !near.has(index);
    const last = sections.at(-1);
    if (last?.folded === folded) last.rows.push(row);
    else sections.push({ rows: [row], folded });
  }
  return sections.map((section) => (section.rows.length <= 2 ? { ...section, folded: false } : section));
}

/** Pairs rows for two columns: a removed line and its replacement share a row. */
export function sideBySide(rows: readonly Row[]): readonly (readonly [Row | undefined, Row | undefined])[] {
  const pairs: [Row | undefined, Row | undefined][] = [];
  let [removed, added]: [Row[], Row[]] = [[], []];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) pairs.push([removed[at], added[at]]);
    [removed, added] = [[], []];
  };
  for (const row of rows) {
    if (row.kind === 'removed') removed.push(row);
    else if (row.kind === 'added') added.push(row);
    else {
      flush();
      pairs.push([row, row]);
    }
  }
  flush();
  return pairs;
}
