/**
 * Places and patterns in a text. A value may cover more than the person's request even if all its words are in the
 * request: a parent folder (`/srv` for `/srv/old`), or a pattern (`old*`) [provenance.traced].
 */

const tokens = /[^\s,;"'`´‘’“”„<>()]{2,512}/gu;
const maxPlaces = 256;
const maxLevels = 16;
/** Absolute path: `/srv`, `~/x`, `C:\x`. */
const fileRoot = /^(?:~?\/|[a-z]:\/)(?!\/)/;
/** Absolute path or URL: `s3://bucket`. */
const rooted = /^(?:~?\/|[a-z]:\/|[a-z][a-z0-9+.-]{1,15}:\/\/)/;
/** A URL without a path. Many URLs share its host. */
const host = /^(?:https?|wss?):\/\/[^/]*$/;
/** `..` leads to a parent folder, regardless of the preceding path. */
const climbs = /(?:^|\/)\.\.(?:$|\/)/;

/** Yields `at:` for each place and pattern in a text, and `above:` for each parent folder. */
export function* placeForms(text: string): Iterable<string> {
  for (const token of places(text)) {
    yield `at:${token}`;
    let above = token;
    for (let level = 0; level < maxLevels; level++) {
      above = above.slice(0, Math.max(0, above.lastIndexOf('/'))).replace(/\/+$/, '');
      if (above.length < 2 || above.endsWith(':')) break;
      yield `above:${above}`;
    }
  }
}

/** A place in a value, searched for in addition to the value's words. */
interface PlaceQuery {
  /** Spellings of the place, any of which may occur in the text. */
  readonly at: readonly string[];
  /** Spellings that do not count if they occur in the text only as a parent folder. */
  readonly above: readonly string[];
  readonly byItself: boolean;
}

/**
 * Returns places that are not fully determined by a value's words, and patterns and `..` paths that must occur exactly
 * in the text.
 */
export function widening(value: string): {
  readonly places: readonly PlaceQuery[];
  readonly patterns: readonly string[];
} {
  const found = [...places(value)];
  return {
    places: found.filter((token) => rooted.test(token) && !host.test(token)).map(askedFor),
    patterns: found.filter((token) => token.includes('*') || climbs.test(token)),
  };
}

/**
 * Returns the forms to search for when looking for a place. Query and fragment do not affect parent folders. The word
 * `etc` does not name `/etc`, but a file name does name `/q3.xlsx`.
 */
function askedFor(token: string): PlaceQuery {
  const below = token.replace(fileRoot, '');
  const cut = token.replace(/[?#].*$/, '').replace(/\/+$/, '');
  const isFile = !below.includes('/') && /[^.]\.[^.]/.test(below);
  return {
    at: below.includes('/') && below !== token ? [token, below] : [token],
    above: [...new Set([token, cut])],
    byItself: fileRoot.test(token) && !isFile,
  };
}

/** Reports whether a text with these forms names the place. */
export const isNamed = ({ at, above, byItself }: PlaceQuery, has: (form: string) => boolean): boolean =>
  at.some((place) => has(`at:${place}`)) ||
  (!byItself && above.every((place) => has(`at:${place}`) || !has(`above:${place}`)));

function* places(text: string): Iterable<string> {
  if (!/[/\\*]/.test(text)) return;
  let left = maxPlaces;
  for (const [match] of text.matchAll(tokens)) {
    if (!/[/\\*]/.test(match)) continue;
    if (left-- === 0) return;
    yield normalizePlace(match);
  }
}

/** Normalises a place: case-folded, `/` between folders, no `.` or empty folders, no trailing punctuation. */
function normalizePlace(written: string): string {
  const place = written
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('\\', '/')
    .replace(/(?<=\/)(?:\.\/)+/g, '')
    .replace(/(?<!:|:\/)\/{2,}/g, '/')
    .replace(/[/!?:]+$/, '');
  return climbs.test(place) ? place : place.replace(/[/.!?:]+$/, '');
}
