/** Folds Unicode so that what reads alike compares alike (policies match what a human sees). */
import { RecentMap } from '#core/kernel/recent-map.ts';
import { confusables } from './confusables.ts';

const outsideAscii = /[\u0080-\uffff]/;
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Mn}\p{Me}]/u;
/** Marks NFKC could not compose with an ASCII character only decorate or enclose it. */
const decoration = /([!-~])[\p{Mn}\p{Me}]+/gu;
export const isAscii = (text: string): boolean => !outsideAscii.test(text);

/**
 * Characters beyond ASCII with the one before them, which they may compose with. What follows a run composes with nothing in it, so
 * runs fold alone, and the rest of a long text costs nothing.
 */
const run = /[^\u0080-\uffff]?[\u0080-\uffff]+/g;

/** NFKC, invisible characters removed, look-alikes folded to ASCII; the identity on ASCII. */
export const foldUnicode = (text: string): string => (isAscii(text) ? text : text.replace(run, foldRun));

/** Letters with accents and signs that come again and again. */
const shortRuns = new RecentMap<string, string>({ max: 2_048 });
const shortRun = 3;

const foldRun = (text: string): string =>
  text.length > shortRun ? foldAll(text) : shortRuns.getOrInsertComputed(text, foldAll);

function foldAll(text: string): string {
  // Removing an invisible character may let its neighbours compose, and a fold may yield a new pair.
  let folded = text;
  for (let round = 0; round < 4; round++) {
    const next = foldOnce(folded);
    if (next === folded) break;
    folded = next;
  }
  return folded;
}

/** Lower case that is stable under folding: for the names of protocols, tools, capabilities and hosts. */
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
