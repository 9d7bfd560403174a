/** Folds Unicode so that text that looks alike compares equal, because policies match what a person sees. */
import { RecentMap } from '#core/kernel/recent-map.ts';
import { confusables } from './confusables.ts';

const outsideAscii = /[\u0080-\uffff]/;
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Mn}\p{Me}]/u;
/** Marks that NFKC cannot compose with an ASCII character, so that they only decorate or enclose it. */
const decoration = /([!-~])[\p{Mn}\p{Me}]+/gu;
export const isAscii = (text: string): boolean => !outsideAscii.test(text);

/** Applies NFKC, removes invisible characters and folds look-alikes to ASCII. Returns ASCII unchanged. */
export const foldUnicode = (text: string): string => (isAscii(text) ? text : foldInRuns(text));

/**
 * Returns a folding function. It folds runs of characters that may compose, together with the character before each
 * run. The text after a run cannot compose with it, so the rest of a long text costs little.
 * @param read preprocesses part of the text before folding: one character, or several at a time.
 */
export function folding(read: (part: string) => string): (text: string) => string {
  const folds = new UnitFolds(read);
  /** Cache for emoji and for recurring letters with marks. */
  const short = new RecentMap<string, string>({ max: 2_048 });
  const foldRun = (run: string): string => foldAll(read(run));
  return (text) => {
    let folded = '';
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      const alone = folds.of(unit);
      if (alone === unit) continue;
      const isLast = !folds.composesAt(text, at + 1);
      if (alone !== composes && isLast) {
        folded += text.slice(from, at) + folds.text(unit, alone);
        from = at + 1;
        continue;
      }
      const first = alone === composes ? Math.max(from, at - 1) : at;
      let end = at + 1;
      while (folds.composesAt(text, end)) end++;
      const run = text.slice(first, end);
      folded +=
        text.slice(from, first) + (run.length > shortRun ? foldRun(run) : short.getOrInsertComputed(run, foldRun));
      from = end;
      at = end - 1;
    }
    return folded + text.slice(from);
  };
}

/** Marker values above all UTF-16 units. */
const composes = 0x1_0000;
const several = 0x1_0001;

/**
 * Folding results by UTF-16 unit: the result, `composes` if the unit may compose with a neighbour or vanish, or
 * `several` units.
 */
class UnitFolds {
  readonly #folds = new Uint32Array(0x1_0000);
  readonly #several = new Map<number, string>();
  readonly #read: (part: string) => string;

  constructor(read: (part: string) => string) {
    this.#read = read;
  }

  of(unit: number): number {
    return this.#folds[unit] || this.#learn(unit);
  }

  composesAt(text: string, at: number): boolean {
    return at < text.length && this.of(text.charCodeAt(at)) === composes;
  }

  text(unit: number, fold: number): string {
    return fold === several ? this.#several.get(unit)! : String.fromCharCode(fold);
  }

  #learn(unit: number): number {
    const char = this.#read(String.fromCharCode(unit));
    const folded = isAscii(char) ? char : standsAlone.test(char.normalize('NFKC')) ? foldAll(char) : '';
    if (folded.length > 1) this.#several.set(unit, folded);
    const fold = folded === '' ? composes : folded.length > 1 ? several : folded.charCodeAt(0);
    this.#folds[unit] = fold;
    return fold;
  }
}

/** Letters, numbers and signs except Hangul jamo. None of these composes with the preceding character. */
const standsAlone =
  /^[[\p{L}\p{N}\p{P}\p{S}]--[\p{Default_Ignorable_Code_Point}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]]+$/v;

/** Longest cached run. A longer slice would keep the whole text in memory. */
const shortRun = 12;

function foldAll(text: string): string {
  // Removing an invisible character may let its neighbours compose, and folding may yield a new pair.
  let folded = text;
  for (let round = 0; round < 4; round++) {
    const next = foldOnce(folded);
    if (next === folded) break;
    folded = next;
  }
  return folded;
}

/** Converts names of protocols, tools, capabilities and hosts to a lower-case form that is stable under folding. */
export const foldCase = (text: string): string =>
  isAscii(text) ? text.toLowerCase() : foldUnicode(text.toLowerCase());

function foldOnce(text: string): string {
  const composed = text.normalize('NFKC');
  const visible = unseen.test(composed) ? composed.replace(invisible, '').replace(decoration, '$1') : composed;
  if (isAscii(visible)) return visible;
  let folded = '';
  for (const char of visible) folded += confusables.get(char) ?? char;
  return folded;
}

const foldInRuns = folding((part) => part);
