/** Expands words to arguments: removes quotes, expands braces, and marks unknown parts. */
import { limits, type Piece, UnreadableSyntax, type Word } from './syntax.ts';

export interface Arg {
  /** Text with expansions as written. */
  readonly text: string;
  /** Whether the argument has no expansions. */
  readonly known: boolean;
  /** Whether the argument has an unquoted expansion, which may become several words or none. */
  readonly splits: boolean;
  /** Whether the argument has unquoted wildcards. */
  readonly glob: boolean;
}

export const argOf = (text: string): Arg => ({ text, known: true, splits: false, glob: false });

interface Unit {
  readonly text: string;
  /** Kind of the unit: `open` is an expansion, which may be split if it is not quoted. */
  readonly kind: 'plain' | 'quoted' | 'open' | 'open-quoted';
}

const maxWords = 256;
const maxCharacters = 128;

/** Returns the arguments of a word. @throws Unreadable if its braces yield too many arguments. */
export function expandWord(word: Word): Arg[] {
  const [only] = word.pieces;
  const isPlain = word.pieces.length === 1 && only?.kind === 'text' && (only.quoted || !only.text.includes('{'));
  const units = word.pieces.map(toUnit);
  if (isPlain) return [toArg(units)];
  return expandUnits(units).flatMap(splitAtBlanks).filter(isSomething).map(toArg);
}

function expandUnits(units: readonly Unit[]): (readonly Unit[])[] {
  if (!units.some((unit) => unit.kind === 'plain' && unit.text.includes('{'))) return [units];
  if (units.reduce((sum, unit) => sum + unit.text.length, 0) > maxCharacters)
    throw new UnreadableSyntax(`a word with braces is longer than ${maxCharacters} characters`);
  return expandBraces(
    units.flatMap((unit) => (unit.kind === 'plain' ? [...unit.text].map(plainUnit) : [unit])),
    0,
  );
}

/** Checks whether a shell with brace expansion yields different words. */
export const hasBraces = (word: Word): boolean =>
  word.pieces.some((piece) => piece.kind === 'text' && !piece.quoted && /\{/.test(piece.text)) &&
  /,|\.\./.test(joinedWord(word).text);

/** Returns the arguments that a shell without brace expansion would see. */
export const unbracedWord = (word: Word): Arg[] =>
  splitAtBlanks(word.pieces.map(toUnit)).filter(isSomething).map(toArg);

/** Splits at `IFS`: `rm${IFS}x` is two words. Assignments to IFS are reported separately. */
function splitAtBlanks(units: readonly Unit[]): (readonly Unit[])[] {
  if (!units.some(isBlank)) return [units];
  const words: Unit[][] = [[]];
  for (const unit of units) {
    if (isBlank(unit)) words.push([]);
    else words.at(-1)!.push(unit);
  }
  return words;
}

/** Checks whether the units form a word. An empty word without quotes does not count. */
const isSomething = (units: readonly Unit[]): boolean =>
  units.some(({ kind, text }) => kind !== 'plain' || text !== '');

const isBlank = ({ kind, text }: Unit): boolean => kind === 'open' && /^\$(?:IFS|\{IFS\})$/.test(text);

/** Returns the whole word as a single argument, without splitting. */
export const joinedWord = (word: Word): Arg => toArg(word.pieces.map(toUnit));

const plainUnit = (text: string): Unit => ({ text, kind: 'plain' });
const toUnit = (piece: Piece): Unit =>
  piece.kind === 'unknown'
    ? { text: piece.source, kind: piece.quoted ? 'open-quoted' : 'open' }
    : { text: piece.text, kind: piece.quoted ? 'quoted' : 'plain' };

const isOpen = ({ kind }: Unit): boolean => kind === 'open' || kind === 'open-quoted';

function toArg(all: readonly Unit[]): Arg {
  const units = all.length > 1 ? all.filter((unit) => unit.text !== '' || unit.kind === 'plain') : all;
  const [first, second] = units;
  if (first && isOpen(first) && /^\$(?:HOME|\{HOME\}|PWD|\{PWD\})$/.test(first.text)) {
    const next = second?.text[0];
    if (next === undefined || next === '/')
      return toArg([{ text: /HOME/.test(first.text) ? '~' : '.', kind: 'quoted' }, ...units.slice(1)]);
  }
  const text = units.length === 1 ? first!.text : units.map((unit) => unit.text).join('');
  return {
    text,
    // `~+` and `~-` are the current and previous working directories; zsh expands `=x` to the path of x.
    known: !units.some(isOpen) && !(first?.kind === 'plain' && /^(?:~[-+]|=[^=])/.test(first.text)),
    splits: units.some((unit) => unit.kind === 'open'),
    glob: units.some(
      (unit) => unit.kind === 'plain' && (/[*?]/.test(unit.text) || (unit.text.includes('[') && text.includes(']'))),
    ),
  };
}

/** Expands `a{b,c}d` and `{1..3}`. Leaves anything else unchanged. */
function expandBraces(units: readonly Unit[], depth: number): (readonly Unit[])[] {
  if (depth > limits.depth) throw new UnreadableSyntax('braces are nested too deeply');
  for (let open = 0; open < units.length; open++) {
    if (!is(units[open], '{')) continue;
    const found = alternatives(units, open);
    if (!found) continue;
    const before = units.slice(0, open);
    const after = expandBraces(units.slice(found.end + 1), depth + 1);
    const words = found.branches
      .flatMap((branch) => expandBraces(branch, depth + 1))
      .flatMap((branch) => {
        if (after.length * found.branches.length > maxWords)
          throw new UnreadableSyntax(`braces yield more than ${maxWords} words`);
        return after.map((rest) => [...before, ...branch, ...rest]);
      });
    if (words.length > maxWords) throw new UnreadableSyntax(`braces yield more than ${maxWords} words`);
    return words;
  }
  return [units];
}

function alternatives(
  units: readonly Unit[],
  open: number,
): { branches: readonly (readonly Unit[])[]; end: number } | undefined {
  const branches: Unit[][] = [[]];
  let depth = 0;
  for (let at = open + 1; at < units.length; at++) {
    const unit = units[at]!;
    if (is(unit, '}') && depth-- === 0) {
      if (branches.length > 1) return { branches, end: at };
      const range = rangeOf(branches[0]!);
      return range && { branches: range, end: at };
    }
    if (is(unit, '{')) depth++;
    if (is(unit, ',') && depth === 0) branches.push([]);
    else branches.at(-1)!.push(unit);
  }
  return undefined;
}

const is = (unit: Unit | undefined, char: string): boolean => unit?.kind === 'plain' && unit.text === char;

function rangeOf(units: readonly Unit[]): Unit[][] | undefined {
  if (units.some((unit) => unit.kind !== 'plain')) {
    if (units.some((unit) => unit.kind === 'plain' && unit.text === '.'))
      throw new UnreadableSyntax('a range in braces contains more than plain characters');
    return undefined;
  }
  const range = /^(?:(-?\d{1,9})\.\.(-?\d{1,9})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?\d{1,9}))?$/.exec(
    units.map((unit) => unit.text).join(''),
  );
  if (!range) return undefined;
  const [, low, high, first, last, by] = range;
  if (first !== undefined && first < 'a' !== last! < 'a')
    throw new UnreadableSyntax('a letter range in braces includes characters that are not letters');
  const from = low === undefined ? first!.codePointAt(0)! : Number(low);
  const to = high === undefined ? last!.codePointAt(0)! : Number(high);
  const step = Math.max(1, Math.abs(Number(by ?? 1)));
  const count = Math.floor(Math.abs(to - from) / step) + 1;
  if (count > maxWords) throw new UnreadableSyntax(`braces yield more than ${maxWords} words`);
  const width = /^-?0\d|^-?\d+\.\.-?0\d/.test(range[0]) ? Math.max(low!.length, high!.length) : 0;
  return Array.from({ length: count }, (_, i) => {
    const value = from + (to > from ? step : -step) * i;
    const text = low === undefined ? String.fromCodePoint(value) : String(value).padStart(width, '0');
    return [...text].map(plainUnit);
  });
}
