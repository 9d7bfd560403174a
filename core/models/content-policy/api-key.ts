/** Keys, tokens and passwords, in the formats that are also withheld from evidence. */
import { secretRanges } from '#core/text/secrets/secret-formats.ts';
import type { Entity, Range } from './entity.ts';

/** Maximum length of a run without spaces that is held as a possible secret: `user:password@` in a URL. */
const wordAtMost = 1024;
/** Maximum length of an unfinished secret that is held, such as a token with many claims or a private key. */
const secretAtMost = 8192;

const blank = /\s/;
const base64url = /[A-Za-z0-9_-]/;
const openKey = /-----BEGIN [A-Z0-9 ]{0,58}-{0,5}$/;
/** Signs of a secret. Text without any of them contains no secrets, and searching for signs is cheaper. */
const sign = /[:=]|--\w|-----B|A[KS]IA|AIza|eyJ|gh[oprsu]_|github_|glpat-|npm_|[rs]k[_-]|xox|xapp-|bearer/i;

const secretsOf = (text: string): Range[] => (sign.test(text) ? secretRanges(text) : []);

export const apiKey: Entity = {
  name: 'api_key',
  find: (text, from) => secretsOf(text).filter(([start]) => start >= from),
  openFrom(text) {
    const from = Math.max(openMatchStart(text), text.length - secretAtMost);
    return from < text.length ? from : Infinity;
  },
};

function openMatchStart(text: string): number {
  let from = runStart(text, text.length, Math.max(0, text.length - wordAtMost), (char) => !blank.test(char));
  if (!sign.test(text)) return from;
  from = Math.min(from, openToken(text), openKey.exec(text)?.index ?? from);
  // A secret that extends into the open part, or to the end, may grow with later text.
  for (const [start, end] of secretsOf(text).reverse())
    if (end > from || end === text.length) from = Math.min(from, start);
  return from;
}

/** Returns the start of a JSON Web Token of which only one or two parts have arrived. */
function openToken(text: string): number {
  const isPart = (char: string): boolean => base64url.test(char);
  let start = runStart(text, text.length, 0, isPart);
  if (text[start - 1] === '.') start = runStart(text, start - 1, 0, isPart);
  const token = text.indexOf('eyJ', start);
  return token < 0 ? text.length : token;
}

/**
 * Returns the start of a run. Scans manually, because a pattern anchored at the end would be tried at every character.
 */
function runStart(text: string, end: number, least: number, belongs: (char: string) => boolean): number {
  let start = end;
  while (start > least && belongs(text[start - 1]!)) start--;
  return start;
}
