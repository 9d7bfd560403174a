/**
 * injection-guard: flags text that tries to give orders to a model: to ignore its instructions, to reveal them, to play
 * a role without rules, or to leak the conversation. It is a heuristic over words near each other, read as a model
 * reads them. `check` is the filter interface. The gateway's tool guard decodes text itself and calls `judge`.
 */
import { flagged } from '../shared/abi';
import { decodedAt, decodedLength, nextEncoded } from './encoded';
import { CERTAIN, ERROR, HIDDEN, LIKELY, mainCue, restart as restartReading } from './judge';
import { partStart, partsOf } from './parts';
import { lastTurned, scan } from './scan';
import { keepSpelled } from './spelled';
import { descriptions } from './tables';
import { addressOf, hold, roomFor } from './text';
import { see } from './visible';

export { alloc, get_result_len, get_result_ptr } from '../shared/abi';

/** Maximum depth of nested encodings that are decoded. */
const deepest: i32 = 3;

export function check(content: i32, contentLength: i32, _metadata: i32, _metadataLength: i32): i32 {
  const said = read(<usize>content, contentLength, 0);
  return said.length > 0 ? flagged(`the text ${said}`) : 0;
}

function read(at: usize, length: i32, depth: i32): string {
  see(at, length);
  let said = describe(alone(), depth > 0);
  if (said.length === 0 && keepSpelled()) said = describe(alone(), true);
  if (said.length > 0 || depth === deepest) return said;
  for (let from = nextEncoded(at, length, 0, depth); from >= 0; from = nextEncoded(at, length, from, depth)) {
    const inner = read(decodedAt, decodedLength, depth + 1);
    if (inner.length > 0) return inner;
  }
  return '';
}

function alone(): i32 {
  restartReading(1);
  return scan(1);
}

function describe(verdict: i32, decoded: bool): string {
  if ((verdict & (decoded ? HIDDEN : LIKELY | ERROR | CERTAIN)) === 0) return '';
  return decoded ? `${descriptions[mainCue()]}, in an encoding` : descriptions[mainCue()];
}

/** Allocates a buffer for folded, lower-case text of `units` UTF-16 units. @returns its address. */
export function room(units: i32): i32 {
  return <i32>roomFor(units);
}

/** Discards the state of earlier parts of the text. */
export function restart(): void {
  restartReading(0);
}

/** Judges the next part of a text. @returns the bits of `judge.ts` and, above them, how a word is turned. */
export function judge(units: i32): i32 {
  hold(units);
  const verdict = scan(0);
  return verdict | (lastTurned() << 8);
}

/** Judges a text independently of the other parts. */
export function judgeAlone(units: i32): i32 {
  hold(units);
  const verdict = alone();
  return verdict | (lastTurned() << 8);
}

/** Splits letters into words, at `partsAt`. @returns the length in units. */
export function split(units: i32): i32 {
  return partsOf(addressOf(0), units);
}

export function partsAt(): i32 {
  return <i32>partStart(0);
}
