/**
 * Finds paths and addresses in arguments that are outside the roots declared by a server's configuration entry or a
 * client [guard.roots]. A value is inside only if all its readings are below a root; ambiguous values are outside.
 */
import { wordSet } from '#core/kernel/word-set.ts';
import { wordsIn } from '#core/policy/classification/tool-words.ts';
import type { ArgumentFinding } from './arguments.ts';
import { readingsOf } from './location-readings.ts';
import { isBelowRoot, isWeb, type Root, rootOf } from './root.ts';

/** Lists of roots. A value must be below a root in every list. */
export type RootLists = readonly (readonly string[])[];

const maxFindings = 20;
const maxLevels = 64;
const longest = 4_096;

/** Names of parameters whose values are always places. */
const placeNames = wordSet(
  `path paths file files filename filepath dir directory folder folders cwd root workspace source src destination dest dst
  target output outfile input infile uri uris url urls href link location`,
);
/** Names of parameters that contain command lines, in which each word may be a place. */
const lineNames = wordSet('command cmd script args argv arguments options flags line');
/** Names of parameters that contain text for people, in which places are ordinary words. */
const textNames = wordSet(
  'content contents text body message comment description title subject prompt note notes summary markdown html query question answer',
);

/**
 * Returns the places outside the roots.
 * @throws RangeError for arguments that are nested too deeply.
 */
export function outsideRoots(parameters: Readonly<Record<string, unknown>>, lists: RootLists): ArgumentFinding[] {
  const roots = lists.map((list) => list.map(rootOf).filter((root) => root !== undefined));
  const findings: ArgumentFinding[] = [];
  const isInside = (place: string) => roots.every((list) => insideOf(place, list));
  walk(parameters, 'parameters', '', 0, { findings, isInside });
  return findings;
}

/**
 * Returns every place named in arguments, with its path. @throws RangeError for arguments that are nested too deeply.
 */
export function eachPlace(parameters: Readonly<Record<string, unknown>>): { place: string; where: string }[] {
  const places: { place: string; where: string }[] = [];
  walk(parameters, 'parameters', '', 0, {
    findings: [],
    isInside: (place, where) => places.push({ place, where }) > 0,
  });
  return places;
}

interface Walk {
  readonly findings: ArgumentFinding[];
  readonly isInside: (place: string, where: string) => boolean;
}

function walk(value: unknown, where: string, name: string, level: number, given: Walk): void {
  if (given.findings.length >= maxFindings) return;
  if (level > maxLevels) throw new RangeError('The arguments are nested too deeply.');
  if (typeof value === 'string') checkText(value, where, name, level, given);
  if (value === null || typeof value !== 'object') return;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) walk(item, `${where}[${at}]`, name, level + 1, given);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    const shown = `${where}.${/^[A-Za-z_][A-Za-z0-9_]{0,31}$/.test(key) ? key : '*'}`;
    // Some tools accept a map from paths to contents.
    checkText(key, shown, '', level, given);
    walk(item, shown, key, level + 1, given);
  }
}

/** Text that begins an absolute place, a step up, a home directory or a variable. */
const begins =
  /^(?:file:|[a-z][a-z0-9+.-]{1,31}:\/|[/\\~\u2044\u2215\uff0f\uff3c\uff5e]|%(?:25)*(?:2f|5c|7e)|[A-Za-z]:[\\/]|[.\uff0e\u2024]{1,2}(?:[\\/%\u2044\u2215\uff0f\uff3c]|$)|\$[{(]?[A-Za-z_]\w{0,63}[})]?[\\/]|%[A-Za-z_]\w{1,31}%[\\/])/iu;
const stepInside =
  /^\S*[\\/\u2044\u2215\uff0f\uff3c](?:\.|%(?:25)*2e|\u2024|\uff0e){2}(?:[\\/%\u2044\u2215\uff0f\uff3c;]|$)/iu;
const looksLikePlace = (text: string): boolean => begins.test(text) || stepInside.test(text);

function checkText(text: string, where: string, name: string, level: number, given: Walk): void {
  const last = wordsIn(name).at(-1) ?? '';
  const isPlace = placeNames.has(last);
  const isLine = lineNames.has(last);
  if (textNames.has(last)) return;
  if (text.length > longest) {
    if (isPlace || begins.test(text.trimStart().slice(0, 64))) given.findings.push(outsideFinding(where));
    return;
  }
  const inner = isPlace || isLine ? jsonIn(text) : undefined;
  if (inner !== undefined) {
    walk(inner, where, name, level + 1, given);
    return;
  }
  const places = isLine ? placesInLine(text) : placesIn(text.trim(), isPlace);
  if (!places.every((place) => given.isInside(place, where))) given.findings.push(outsideFinding(where));
}

const outsideFinding = (where: string): ArgumentFinding => ({
  kind: 'outside_roots',
  where,
  severity: 'high',
  description: 'A path or address that is not known to lie below the declared roots.',
});

/** Parses a list or object that is sent as a string. */
function jsonIn(text: string): unknown {
  if (!/^\s*[[{"]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Separators of a list of places. A colon separates paths, as in `PATH`, only after the first slash. */
const parting =
  /\s*[\r\n]+\s*|(?:[\s,;|"']+|(?<=[\\/][^:\s]*):)(?=[/~]|[a-z][a-z0-9+.-]{1,31}:[\\/]|[A-Za-z]:[\\/]|\.\.[\\/])/i;

/** Returns the places in a value. A relative name counts only if the parameter's name indicates a place. */
const placesIn = (text: string, isPlace: boolean): string[] =>
  isPlace || looksLikePlace(text) ? text.split(parting).filter((each) => each !== '') : [];

/** Returns the places in a command line, without option prefixes. */
const placesInLine = (line: string): string[] =>
  line
    .split(/[\s;|&<>()"'`=,]+/)
    .map((word) => word.replace(/^(?:-{1,2}[A-Za-z][\w-]*?:?|[@+]+)(?=[/~\\]|\.\.)/, ''))
    .flatMap((word) => placesIn(word, false));

function insideOf(place: string, roots: readonly Root[]): boolean {
  if (isWeb(place)) {
    if (!roots.some(({ space }) => isWeb(`${space}/`))) return true;
    return isBelowInAllReadings(place.replace(/[?#].*$/s, ''), roots);
  }
  return isBelowInAllReadings(place, roots);
}

function isBelowInAllReadings(place: string, roots: readonly Root[]): boolean {
  const readings = readingsOf(place);
  return readings?.every((reading) => isBelowRoot(reading, roots)) ?? false;
}
