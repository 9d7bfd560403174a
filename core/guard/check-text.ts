/** Finds problems in a text that a model will read: in visible, hidden and encoded words. */

import { type EncodedPart, encodedParts } from '#core/text/decode/encoded-parts.ts';
import { hiddenParts } from '#core/text/decode/hidden-parts.ts';
import { nextOf } from '#core/text/decode/next-of.ts';
import { foldText, isPlain } from '#core/text/fold/visible.ts';
import { type CueHit, CueScan } from './cues.ts';
import { dataLinks } from './data-links.ts';
import type { TextFinding } from './finding.ts';
import { invisibleText, spelledByTags } from './invisible.ts';
import { partedWords } from './parted-words.ts';
import type { Cue } from './rule.ts';
import { terminalEscapes } from './terminal-escapes.ts';
import { turnedBack } from './turned-words.ts';

export type TextKind =
  | 'instruction'
  | 'hidden_instruction'
  | 'encoded_instruction'
  | 'invisible_text'
  | 'false_error'
  | 'data_link'
  | 'terminal_escape';

/** Maximum number of words between two weak cues that count together. */
const together = 40;
const unitCharacters = 1_200;

/** Returns the findings, sorted by position; ranges may overlap. */
export function checkText(text: string): TextFinding<TextKind>[] {
  const found: TextFinding<TextKind>[] = [...terminalEscapes(text), ...dataLinks(text)];
  for (const finding of invisibleText(text)) found.push(finding);
  const hidden = hiddenParts(text);
  found.push(...visibleFindings(text, hidden));
  for (const { start, end, from, to } of hidden)
    if (speaks(text.slice(from, to), 1))
      found.push({
        kind: 'hidden_instruction',
        severity: 'high',
        start,
        end,
        description: 'Words to the model in a comment, an alternative text or an element that is not shown.',
      });
  const read: TextFinding<TextKind>[] = [];
  for (const part of encodedParts(text)) if (speaks(wordsOf(part), 1)) read.push(encoded(part.start, part.end));
  found.push(...merged(read));
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Splits spelled-out letters into words known to the rules. */
const wordsOf = ({ text, isSpelled }: EncodedPart): string =>
  isSpelled ? text.replace(/[A-Za-z]{20,400}/g, partedWords) : text;

/** Merges overlapping findings, since a run can be decoded in two ways. */
function merged(findings: TextFinding<TextKind>[]): TextFinding<TextKind>[] {
  const apart: TextFinding<TextKind>[] = [];
  for (const each of findings.sort((a, b) => a.start - b.start)) {
    const last = apart.at(-1);
    if (last === undefined || each.start >= last.end) apart.push(each);
    else if (each.end > last.end) apart[apart.length - 1] = { ...last, end: each.end };
  }
  return apart;
}

const encoded = (start: number, end: number): TextFinding<'encoded_instruction'> => ({
  kind: 'encoded_instruction',
  severity: 'high',
  start,
  end,
  description: 'Words to the model in an encoding.',
});

/** Maximum depth of nested encodings. Decoding never lengthens a text, so the time is linear in its length. */
const maxLayers = 4;

/** Reports whether a decoded text instructs the model, directly or in a nested encoding. */
function speaks(decoded: string, layer: number, isTurned = false): boolean {
  if (isHiddenInstruction(cuesIn(decoded))) return true;
  if (layer === maxLayers) return false;
  const way = single.turned;
  // Turning twice would restore the text.
  if (way > 0 && !isTurned && turnedSpeak(decoded, way, layer + 1)) return true;
  for (const part of encodedParts(decoded)) if (speaks(wordsOf(part), layer + 1)) return true;
  return false;
}

const turnedSpeak = (text: string, way: number, layer: number): boolean =>
  turnedBack(text, way).some((each) => speaks(each, layer, true));

/** Shared scan, because a page can have a hundred short hidden parts and creating a scan costs more than running it. */
const single = new CueScan();

/** Returns the cues of a single text. */
export function cuesIn(text: string): CueHit[] {
  single.forget();
  return single.feed(folded(text));
}

function* visibleFindings(
  text: string,
  hidden: readonly { readonly start: number; readonly end: number }[],
): Iterable<TextFinding<TextKind>> {
  const scan = new CueScan();
  let weak: CueHit[] = [];
  let from = 0;
  const paragraphs = nextOf(text, '\n\n');
  for (const { start, end } of [...hidden, { start: text.length, end: text.length }]) {
    for (const [first, last] of unitsOf(text, from, start, paragraphs)) {
      const seen = folded(text.slice(first, last));
      const hits = scan.feed(seen);
      if (scan.turned > 0 && turnedSpeak(seen, scan.turned, 1)) yield encoded(first, last);
      if (hits.length === 0) continue;
      weak = [...weak.filter(({ at }) => hits.at(-1)!.at - at <= together), ...hits.filter((hit) => !hit.strong)];
      const verdict = verdictOf(hits, weak);
      if (verdict) {
        yield { ...verdict, start: first, end: last };
        weak = [];
      }
    }
    from = end;
  }
}

const descriptions = {
  instruction: 'Words that instruct the model.',
  false_error: 'An error that asks for more rights, for secrets or for less protection.',
} as const;

function verdictOf(
  hits: readonly CueHit[],
  weak: readonly CueHit[],
): Pick<TextFinding<TextKind>, 'kind' | 'severity' | 'description'> | undefined {
  const sure = hits.filter(({ strong }) => strong);
  if (sure.some(({ cue }) => cue !== 'false-error'))
    return { kind: 'instruction', severity: 'high', description: descriptions.instruction };
  if (sure.length > 0) return { kind: 'false_error', severity: 'high', description: descriptions.false_error };
  if (hits.some((hit) => weak.some((other) => other.cue !== hit.cue && Math.abs(hit.at - other.at) <= together)))
    return { kind: 'instruction', severity: 'medium', description: descriptions.instruction };
  return undefined;
}

/** Cues that suffice alone in text that only the model reads. */
const grave: ReadonlySet<Cue> = new Set([
  'address',
  'override',
  'carry-out',
  'secret-out',
  'conceal',
  'tool-call',
  'foreign-phrase',
]);

const isHiddenInstruction = (hits: readonly CueHit[]): boolean =>
  hits.length > 0 &&
  (hits.some(({ strong, cue }) => strong || grave.has(cue)) || new Set(hits.map(({ cue }) => cue)).size > 1);

/** Yields paragraphs, or the sentences of long ones: the units that stripping removes. */
function* unitsOf(
  text: string,
  from: number,
  to: number,
  paragraphs: (from: number) => number,
): Iterable<readonly [number, number]> {
  let start = from;
  while (start < to) {
    const most = Math.min(to, start + unitCharacters);
    const paragraph = paragraphs(start);
    let end = paragraph < most ? paragraph + 2 : most;
    if (end === most && most < to) {
      const slice = text.slice(start, most);
      const cut = Math.max(slice.lastIndexOf('. '), slice.lastIndexOf('\n'), slice.lastIndexOf('"'));
      if (cut > unitCharacters / 2) end = start + cut + 1;
    }
    yield [start, end];
    start = end;
  }
}

const marked = /\*\*|~~|``|<\/?(?:b|i|em|strong|span|u|font)\b[^>]{0,80}>/gi;
const inWord = /\w(?:\*\*|~~|``|<\/?(?:b|i|em|strong|span|u|font)\b)[^>\n]{0,80}\w/i;
const written = /\\[nrt]/g;

/**
 * Returns the text as a reader sees it, in lower case: without marks inside words, look-alikes and invisible
 * characters.
 */
export function folded(text: string): string {
  const plain = isPlain(text) ? text : foldText(spelled(text));
  const tagged = plain.includes('<') || plain.includes('**') || plain.includes('~~') || plain.includes('``');
  const whole = tagged && inWord.test(plain) ? plain.replace(marked, '') : plain;
  const spaced = whole.includes('\\') ? whole.replace(written, '  ') : whole;
  return spaced.toLowerCase();
}

/** Appends text spelled in letters of the tag block. */
const spelled = (text: string): string => (text.includes('\udb40') ? `${text} ${spelledByTags(text)}` : text);
