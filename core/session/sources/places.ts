/**
 * Places and patterns in a text. A value may name more than the person did with words that all are the person's: a folder above
 * the one that was named (`/srv` of `/srv/old`), or everything that begins alike (`old*`) [provenance.forms].
 */

const tokens = /[^\s,;"'`´‘’“”„<>()]{2,512}/gu;
const most = 256;
const maxLevels = 16;
/** From the root of files: `/srv`, `~/x`, `C:\x`. */
const fileRoot = /^(?:~?\/|[a-z]:\/)(?!\/)/;
/** From a root, or with a scheme: `s3://bucket`. */
const rooted = /^(?:~?\/|[a-z]:\/|[a-z][a-z0-9+.-]{1,15}:\/\/)/;
/** A host is what addresses of the web share. */
const host = /^(?:https?|wss?):\/\/[^/]*$/;
/** `..` leads to a folder above, whatever stands in front of it. */
const climbs = /(?:^|\/)\.\.(?:$|\/)/;

/** `at:` each place and pattern of a text, `above:` each folder over a place. */
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

/** What a place of a value has to be found as, beside its words. */
interface PlaceAsked {
  /** Spellings of the place, any of which may stand in the text. */
  readonly at: readonly string[];
  /** Known only as a folder over another place, it is not named; nor is it where its words stand in a text as words alone. */
  readonly above: readonly string[];
  readonly byItself: boolean;
}

/** Places of a value that the words in them do not name; and what must stand in the text sign by sign: patterns, and ways up. */
export function widening(value: string): {
  readonly places: readonly PlaceAsked[];
  readonly patterns: readonly string[];
} {
  const found = [...places(value)];
  return {
    places: found.filter((token) => rooted.test(token) && !host.test(token)).map(askedFor),
    patterns: found.filter((token) => token.includes('*') || climbs.test(token)),
  };
}

/** A query and a fragment do not make a folder above another place. `/etc` is not named by the word `etc`; `/q3.xlsx` is by its file. */
function askedFor(token: string): PlaceAsked {
  const below = token.replace(fileRoot, '');
  const cut = token.replace(/[?#].*$/, '').replace(/\/+$/, '');
  const isFile = !below.includes('/') && /[^.]\.[^.]/.test(below);
  return {
    at: below.includes('/') && below !== token ? [token, below] : [token],
    above: [...new Set([token, cut])],
    byItself: fileRoot.test(token) && !isFile,
  };
}

/** Whether a text with these forms names the place. */
export const isNamed = ({ at, above, byItself }: PlaceAsked, has: (form: string) => boolean): boolean =>
  at.some((place) => has(`at:${place}`)) ||
  (!byItself && above.every((place) => has(`at:${place}`) || !has(`above:${place}`)));

function* places(text: string): Iterable<string> {
  if (!/[/\\*]/.test(text)) return;
  let left = most;
  for (const [match] of text.matchAll(tokens)) {
    if (!/[/\\*]/.test(match)) continue;
    if (left-- === 0) return;
    yield placeOf(match);
  }
}

/** One spelling: folded, with `/` between folders, without `.` and empty folders. Marks at the end are those of a sentence. */
function placeOf(written: string): string {
  const place = written
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('\\', '/')
    .replace(/(?<=\/)(?:\.\/)+/g, '')
    .replace(/(?<!:|:\/)\/{2,}/g, '/')
    .replace(/[/!?:]+$/, '');
  return climbs.test(place) ? place : place.replace(/[/.!?:]+$/, '');
}
