/**
 * Places and patterns in a text. A value may name more than the person did with words that all are the person's: a folder above
 * the one that was named (`/srv` of `/srv/old`), or everything that begins alike (`old*`) [provenance.forms].
 */

const tokens = /[^\s,;"'`´‘’“”„<>()]{2,512}/gu;
const most = 256;
const maxLevels = 16;
/** From a root: `/srv`, `~/x`, `C:\x`, `s3://bucket`. */
const rooted = /^(?:~?\/|[a-z]:\/|[a-z][a-z0-9+.-]{1,15}:\/\/)/;
/** A host is what addresses of the web share. */
const host = /^(?:https?|wss?):\/\/[^/]*$/;

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

/** Places of a value that no word of the person names if all it has is a place below them; and its patterns. */
export function widening(value: string): { readonly places: readonly string[]; readonly patterns: readonly string[] } {
  const found = [...places(value)];
  return {
    places: found.filter((token) => rooted.test(token) && !host.test(token)),
    patterns: found.filter((token) => token.includes('*')),
  };
}

function* places(text: string): Iterable<string> {
  if (!/[/\\*]/.test(text)) return;
  let left = most;
  for (const [match] of text.matchAll(tokens)) {
    if (!/[/\\*]/.test(match)) continue;
    if (left-- === 0) return;
    yield match
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll('\\', '/')
      .replace(/[/.!?:]+$/, '');
  }
}
