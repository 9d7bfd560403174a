/** Finds problems in the visible, hidden and encoded words of text that a model will read. */

import { type EncodedPart, encodedParts } from '#core/text/decode/encoded-parts.ts';
import { hiddenParts } from '#core/text/decode/hidden-parts.ts';
import { nextOf } from '#core/text/decode/next-of.ts';
import { turnedBack } from '#core/text/decode/turned-words.ts';
import { foldText, isPlain } from '#core/text/fold/visible.ts';
import { dataLinks } from './data-links.ts';
import type { TextFinding } from './finding.ts';
import { invisibleText, spelledByTags } from './invisible.ts';
import { terminalEscapes } from './terminal-escapes.ts';
import { shippedWording, type Wording, type WordingVerdict } from './wording.ts';

export type TextKind =
  | 'instruction'
  | 'hidden_instruction'
  | 'encoded_instruction'
  | 'invisible_text'
  | 'false_error'
  | 'data_link'
  | 'terminal_escape';

const unitCharacters = 1_200;

/**
 * Returns the findings, sorted by position; ranges may overlap.
 * @param wording judges the words of the text and of its hidden and encoded parts.
 */
export function checkText(text: string, wording: Wording = shippedWording): TextFinding<TextKind>[] {
  const found: TextFinding<TextKind>[] = [...terminalEscapes(text), ...dataLinks(text), ...invisibleText(text)];
  const hidden = hiddenParts(text);
  found.push(...visibleFindings(text, hidden, wording));
  for (const { start, end, from, to } of hidden)
    if (instructsModel(text.slice(from, to), 1, wording))
      found.push({
        kind: 'hidden_instruction',
        severity: 'high',
        start,
        end,
        description: 'Instructions to the model in a comment, alternative text or a hidden element.',
      });
  const read: TextFinding<TextKind>[] = [];
  for (const part of encodedParts(text))
    if (instructsModel(splitSpelledLetters(part, wording), 1, wording)) read.push(encodedFinding(part.start, part.end));
  found.push(...mergeFindings(read));
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Reports whether text instructs the model to keep something from the user. */
export const conceals = (text: string): boolean => shippedWording.judgeAlone(foldForJudging(text)).conceals;

/** Splits spelled-out letters into words that the rules recognise. */
const splitSpelledLetters = ({ text, isSpelled }: EncodedPart, wording: Wording): string =>
  isSpelled ? text.replace(/[A-Za-z]{20,400}/g, wording.split) : text;

/** Merges overlapping findings, since a run can be decoded in two ways. */
function mergeFindings(findings: TextFinding<TextKind>[]): TextFinding<TextKind>[] {
  const apart: TextFinding<TextKind>[] = [];
  for (const each of findings.sort((a, b) => a.start - b.start)) {
    const last = apart.at(-1);
    if (last === undefined || each.start >= last.end) apart.push(each);
    else if (each.end > last.end) apart[apart.length - 1] = { ...last, end: each.end };
  }
  return apart;
}

const encodedFinding = (start: number, end: number): TextFinding<'encoded_instruction'> => ({
  kind: 'encoded_instruction',
  severity: 'high',
  start,
  end,
  description: 'Instructions to the model in encoded text.',
});

/** Maximum depth of nested encodings. Decoding never lengthens text, so the time is linear in its length. */
const maxLayers = 4;

/** Reports whether decoded text instructs the model, directly or in a nested encoding. */
function instructsModel(decoded: string, layer: number, wording: Wording, isTurned = false): boolean {
  const { speaksHidden, turned } = wording.judgeAlone(foldForJudging(decoded));
  if (speaksHidden) return true;
  if (layer === maxLayers) return false;
  // Applying the transformation twice would restore the text.
  if (turned > 0 && !isTurned && turnedSpeak(decoded, turned, layer + 1, wording)) return true;
  for (const part of encodedParts(decoded))
    if (instructsModel(splitSpelledLetters(part, wording), layer + 1, wording)) return true;
  return false;
}

const turnedSpeak = (text: string, way: number, layer: number, wording: Wording): boolean =>
  turnedBack(text, way).some((each) => instructsModel(each, layer, wording, true));

function* visibleFindings(
  text: string,
  hidden: readonly { readonly start: number; readonly end: number }[],
  wording: Wording,
): Iterable<TextFinding<TextKind>> {
  wording.restart();
  let from = 0;
  const paragraphs = nextOf(text, '\n\n');
  for (const { start, end } of [...hidden, { start: text.length, end: text.length }]) {
    for (const [first, last] of unitsOf(text, from, start, paragraphs)) {
      const seen = foldForJudging(text.slice(first, last));
      const verdict = wording.judge(seen);
      if (verdict.turned > 0 && turnedSpeak(seen, verdict.turned, 1, wording)) yield encodedFinding(first, last);
      const finding = findingOf(verdict);
      if (finding) yield { ...finding, start: first, end: last };
    }
    from = end;
  }
}

const instruction = { kind: 'instruction', severity: 'high', description: 'Words that instruct the model.' } as const;

function findingOf(
  verdict: WordingVerdict,
): Pick<TextFinding<TextKind>, 'kind' | 'severity' | 'description'> | undefined {
  if (verdict.isUnjudged) return { ...instruction, description: 'Words that could not be judged.' };
  if (verdict.isCertain) return instruction;
  if (verdict.isError)
    return {
      kind: 'false_error',
      severity: 'high',
      description: 'An error that asks for more rights, for secrets or for less protection.',
    };
  return verdict.isLikely ? { ...instruction, severity: 'medium' } : undefined;
}

/** Yields paragraphs, or the individual sentences of long paragraphs. These are the units that stripping removes. */
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
const writtenEscapes = /\\[nrt]/g;

/**
 * Returns the text in lower case and as a reader sees it: without marks inside words, look-alikes or invisible
 * characters.
 */
export function foldForJudging(text: string): string {
  const plain = isPlain(text) ? text : foldText(withTagText(text));
  const tagged = plain.includes('<') || plain.includes('**') || plain.includes('~~') || plain.includes('``');
  const whole = tagged && inWord.test(plain) ? plain.replace(marked, '') : plain;
  const spaced = whole.includes('\\') ? whole.replace(writtenEscapes, '  ') : whole;
  return spaced.toLowerCase();
}

/** Appends text that is spelled in tag characters. */
const withTagText = (text: string): string => (text.includes('\udb40') ? `${text} ${spelledByTags(text)}` : text);
