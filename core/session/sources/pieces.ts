/** Values that one text was cut into: elements of a list, or members of an object that follow each other [provenance.disguises]. */

const most = 64;
const maxCharacters = 16_384;
/** Shorter texts stand in many results by chance. */
const least = 6;

interface Pieces {
  readonly pieces: readonly unknown[];
  readonly joined: string;
}

/** Pieces have no blanks in them. All of them together, and two that follow each other. */
export function* piecesOf(value: object): Iterable<Pieces> {
  const pieces = Object.values(value).filter(isPiece);
  if (pieces.length < 2 || pieces.length > most) return;
  yield* together(pieces);
  if (pieces.length > 2) for (let at = 1; at < pieces.length; at++) yield* together(pieces.slice(at - 1, at + 1));
}

const isPiece = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value !== '' && !/\s/.test(value));

function* together(pieces: readonly (string | number)[]): Iterable<Pieces> {
  const joined = pieces.join('');
  if (joined.length >= least && joined.length <= maxCharacters) yield { pieces, joined };
}
