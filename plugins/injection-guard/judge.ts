/**
 * Applies the rules in `rules.txt`, which list the word classes that address a model when they occur near each other.
 */
import { CONCEAL, classes, code, cues, FALSE_ERROR, firstRule, ruleOffsets, STEALTH, suffices } from './tables';

/**
 * Bits of a verdict: two weak rules, an error that asks for something, a strong rule, a match that is sufficient in
 * hidden text, and concealment.
 */
export const LIKELY: i32 = 1;
export const ERROR: i32 = 2;
export const CERTAIN: i32 = 4;
export const HIDDEN: i32 = 8;
export const CONCEALING: i32 = 16;

/** Maximum number of words between two weak cues for them to count together. */
const together: i32 = 40;
const longAgo: i32 = -10_000;

/**
 * State of two concurrent readings: one of consecutive parts of a text, and one of a separate text. Words near the end
 * of a part count for the next part.
 */
const last = new StaticArray<i32>(2 * classes);
const weakAt = new StaticArray<i32>(2 * cues);
const positions = new StaticArray<i32>(2);
let reading: i32 = 0;
let at: i32 = 0;
let verdict: i32 = 0;
let seen: i32 = 0;
let strongest: i32 = -1;

export function restart(chosen: i32): void {
  for (let i = 0; i < classes; i++) last[chosen * classes + i] = longAgo;
  for (let i = 0; i < cues; i++) weakAt[chosen * cues + i] = longAgo;
  positions[chosen] = 0;
}
restart(0);
restart(1);

export function begin(chosen: i32): void {
  reading = chosen;
  at = positions[chosen];
  verdict = 0;
  seen = 0;
  strongest = -1;
}

/** Ends a part. @returns its verdict. */
export function finish(): i32 {
  positions[reading] = at;
  if (verdict !== 0) for (let i = 0; i < cues; i++) weakAt[reading * cues + i] = longAgo;
  if ((verdict & (CERTAIN | ERROR)) !== 0 || (seen & (seen - 1)) !== 0) verdict |= HIDDEN;
  for (let cue = 0; cue < cues; cue++) if (((seen >> cue) & 1) !== 0 && suffices[cue]) verdict |= HIDDEN;
  if (((seen >> CONCEAL) & 1) !== 0 || ((seen >> STEALTH) & 1) !== 0) verdict |= CONCEALING;
  return verdict;
}

/** Returns the cue that best describes the last part. */
export function mainCue(): i32 {
  for (let cue = 0; cue < cues && strongest < 0; cue++) if (((seen >> cue) & 1) !== 0) strongest = cue;
  return strongest;
}

export function goOn(words: i32): void {
  at += words;
}

/** Records a class at this word without checking rules. */
export function mark(id: i32): void {
  last[reading * classes + id] = at;
}

/** Records a class at this word and checks its rules. */
export function saw(id: i32): void {
  const base = reading * classes;
  last[base + id] = at;
  const end = <i32>unchecked(firstRule[id + 1]);
  for (let rule = <i32>unchecked(firstRule[id]); rule < end; rule++) check(<i32>unchecked(ruleOffsets[rule]), base);
}

function check(rule: i32, base: i32): void {
  let from = rule + 3;
  for (let left = <i32>unchecked(code[rule + 2]); left > 0; left--) {
    const alternatives = <i32>unchecked(code[from++]);
    const end = from + 2 * alternatives;
    let holds = false;
    for (; from < end; from += 2) {
      const words = <i32>unchecked(code[from + 1]);
      const isNear = at - unchecked(last[base + <i32>unchecked(code[from])]) <= (words & 127);
      if (isNear === words < 128) {
        holds = true;
        break;
      }
    }
    if (!holds) return;
    from = end;
  }
  const outcome = <i32>unchecked(code[rule]);
  const value = <i32>unchecked(code[rule + 1]);
  if (outcome === 0) last[base + value] = at;
  else hit(value, outcome === 2);
}

export function hit(cue: i32, strong: bool): void {
  seen |= 1 << cue;
  if (strong) {
    verdict |= cue === FALSE_ERROR ? ERROR : CERTAIN;
    if (strongest < 0) strongest = cue;
    return;
  }
  for (let other = 0; other < cues; other++)
    if (other !== cue && at - weakAt[reading * cues + other] <= together) verdict |= LIKELY;
  weakAt[reading * cues + cue] = at;
}
