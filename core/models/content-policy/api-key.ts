/** Keys, tokens and passwords: the formats that evidence withholds too. */
import { secretRanges } from '#core/text/secrets/secret-formats.ts';
import type { Entity, Range } from './entity.ts';

/** Longest piece without spaces that is held because a secret might be forming in it: `user:password@` in a URL. */
const wordAtMost = 1024;
/** Longest secret that is held until it ends: tokens with many claims, private keys. */
const secretAtMost = 8192;

const blank = /\s/;
const base64url = /[A-Za-z0-9_-]/;
const openKey = /-----BEGIN [A-Z0-9 ]{0,58}-{0,5}$/;
/** Without any of these there is no secret: cheaper to look for than secrets are. */
const sign = /[:=]|--\w|-----B|A[KS]IA|AIza|eyJ|gh[oprsu]_|github_|glpat-|npm_|[rs]k[_-]|xox|xapp-|bearer/i;

const secretsOf = (text: string): Range[] => (sign.test(text) ? secretRanges(text) : []);

export const apiKey: Entity = {
  name: 'api_key',
  find: (text, from) => secretsOf(text).filter(([start]) => start >= from),
  openFrom(text) {
    const from = Math.max(earliestOpen(text), text.length - secretAtMost);
    return from < text.length ? from : Infinity;
  },
};

function earliestOpen(text: string): number {
  let from = runStart(text, text.length, Math.max(0, text.length - wordAtMost), (char) => !blank.test(char));
  if (!sign.test(text)) return from;
  from = Math.min(from, openToken(text), openKey.exec(text)?.index ?? from);
  // A secret that reaches into the open part, or to the end, may grow with it.
  for (const [start, end] of secretsOf(text).reverse())
    if (end > from || end === text.length) from = Math.min(from, start);
  return from;
}

/** A JSON Web Token of which one or two parts are there. */
function openToken(text: string): number {
  const isPart = (char: string): boolean => base64url.test(char);
  let start = runStart(text, text.length, 0, isPart);
  if (text[start - 1] === '.') start = runStart(text, start - 1, 0, isPart);
  const token = text.indexOf('eyJ', start);
  return token < 0 ? text.length : token;
}

/** Scanned by hand: a pattern that ends with the text would be tried at every character. */
function runStart(text: string, end: number, least: number, belongs: (char: string) => boolean): number {
  let start = end;
  while (start > least && belongs(text[start - 1]!)) start--;
  return start;
}
