/**
 * Joins values that may be pieces of one string: list elements, or consecutive members of an object
 * [provenance.traced].
 */

const maxPieces = 64;
const maxCharacters = 16_384;
/** Shorter text occurs in many results by chance. */
const least = 6;

interface Pieces {
  readonly pieces: readonly unknown[];
  readonly joined: string;
}

/** Yields all pieces joined, and each pair of consecutive pieces. Pieces contain no whitespace. */
export function* piecesOf(value: object): Iterable<Pieces> {
  const pieces = Object.values(value).filter(isPiece);
  if (pieces.length < 2 || pieces.length > maxPieces) return;
  yield* joinPieces(pieces);
  if (pieces.length > 2) for (let at = 1; at < pieces.length; at++) yield* joinPieces(pieces.slice(at - 1, at + 1));
}

const isPiece = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value !== '' && !/\s/.test(value));

function* joinPieces(pieces: readonly (string | number)[]): Iterable<Pieces> {
  const joined = pieces.join('');
  if (joined.length >= least && joined.length <= maxCharacters) yield { pieces, joined };
}
