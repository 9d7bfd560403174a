/**
 * Joins parts that a server may combine into a path, whatever their names: `{a: '/etc/sha', b: 'dow'}`, `{steps:
 * ['home', '.ssh']}`.
 */

import { remembered } from '#core/kernel/remembered.ts';
import { isPlace } from './parameter-places.ts';

const maxParts = 8;
const longestPart = 256;
const maxLevels = 8;
const beginsPath = /[/\\]|^[.~]/;

/**
 * Returns the joined strings of a value: each possible path prefix combined with every other string, all strings in
 * order, and each list. Uses at most eight parts and two prefixes.
 */
export const joinedParts = (value: unknown): readonly string[] =>
  value === null || typeof value !== 'object' ? [] : joinedOf(value);

const joinedOf = remembered((value: object): readonly string[] => {
  const parts: string[] = [];
  const joined: string[] = [];
  collect(value, '', 0, parts, joined);
  const firsts = parts.filter((part) => beginsPath.test(part) && !part.includes('://')).slice(0, 2);
  for (const first of firsts) for (const part of parts) if (part !== first) joined.push(...joinedForms([first, part]));
  if (firsts.length > 0 && parts.length > 2) joined.push(...joinedForms(parts));
  return joined;
});

function collect(value: unknown, name: string, level: number, parts: string[], joined: string[]): void {
  if (level > maxLevels || parts.length >= maxParts) return;
  if (typeof value === 'string') {
    if (isPart(value, name)) parts.push(value);
  } else if (Array.isArray(value)) {
    const texts = value.filter((item) => typeof item === 'string');
    if (texts.length > 1 && texts.length <= maxParts && texts.every((text) => isPart(text, name)))
      joined.push(...joinedForms(texts));
    for (const item of value.slice(0, maxParts)) collect(item, name, level + 1, parts, joined);
  } else if (value !== null && typeof value === 'object')
    for (const [key, item] of Object.entries(value)) collect(item, key, level + 1, parts, joined);
}

const isPart = (text: string, name: string): boolean =>
  text !== '' && text.length <= longestPart && isPlace('not-text', name) && !/\s/.test(text);

const joinedForms = ([first = '', ...rest]: readonly string[]): string[] => [
  [first, ...rest].join(''),
  [first.replace(/[/\\]{1,64}$/, ''), ...rest].join('/'),
];
