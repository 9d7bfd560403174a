/** Which words in a text match a path pattern, and which strings are a single path. */

import * as z from 'zod';
import { pathGlob, pathSieve } from '#core/text/matching/path-pattern.ts';
import { flag, readCases, rows, text } from '../../../support/yaml.ts';

const cases = readCases(
  'test/unit/text/matching/path-pattern.yaml',
  z.strictObject({ words: rows(text, flag), ranges: rows(text, flag), paths: rows(text, flag) }),
);

const word = pathGlob({ globs: ['**/.env', '.env', '*.pem'], except: ['docs/.env', 'public.pem'], wholePath: false });
const whole = pathGlob({ globs: ['**/.env', '.env', '**/* key'], except: ['docs/.env'], wholePath: true });
const climbing = pathGlob({ globs: ['..{,/**}'], except: [], wholePath: false });

/** Characters that separate words, and Unicode spaces and control characters. */
const separators = [
  ...' ,;:=|&<>()\'"`@{}[]$#?!\t\n\r\v\f',
  ...['\u0000', '\u001f', '\u007f', '\u0085', '\u00a0', '\u1680', '\u2000', '\u2009', '\u200a', '\u2028', '\u2029'],
  ...['\u202f', '\u205f', '\u3000', '\ufeff'],
].filter((sign) => sign !== '\u0085');

test.each(separators.map((sign) => [JSON.stringify(sign), sign]))('[policy.guards] %s parts words', (_name, sign) => {
  expect(word.matches(`a${sign}.env`)).toBe(true);
  expect(word.matches(`.env${sign}b`)).toBe(true);
});

test.each([...'-_+*%^.~a0é\u200b\u200d'].map((sign) => [JSON.stringify(sign), sign]))(
  '[policy.guards] %s counts as part of a word',
  (_name, sign) => {
    expect(word.matches(`.env${sign}`)).toBe(false);
    expect(word.matches(`a${sign}.env`)).toBe(false);
  },
);

test.each(cases.words)('[policy.guards] %j contains a word that is the path: %s', (text, matches) => {
  expect(word.matches(text)).toBe(matches);
});

test.each(cases.ranges)('[policy.guards] %j names a parent folder, not a revision range: %s', (text, matches) => {
  expect(climbing.matches(text)).toBe(matches);
});

test.each(cases.paths)('[policy.guards] %j as a whole is a matching path: %s', (text, matches) => {
  expect(whole.matches(text)).toBe(matches);
});

test('[policy.guards] text that needs many automaton states is still matched correctly', () => {
  const many = pathGlob({ globs: ['**/a*b*c*d'], except: ['**/x*y*z'], wholePath: false });
  for (let i = 0; i < 6000; i++) many.matches(`${i.toString(36).replace(/./g, (c) => `a${c}x`)}/`);
  expect([many.matches('q/abcd'), many.matches('q/xyz'), many.matches('q/abc')]).toEqual([true, false, false]);
});

test('[policy.guards] a compiled pattern is cached until many other patterns have been compiled', () => {
  const own = () => pathGlob({ globs: ['**/own'], except: [], wholePath: false });
  const first = own();
  expect(own()).toBe(first);
  for (let i = 0; i < 100; i++) pathGlob({ globs: [`**/other-${i}`], except: [], wholePath: false });
  expect(own()).not.toBe(first);
  expect(own().matches('a/own')).toBe(true);
});

test('[policy.guards] a malformed glob is refused when the policy is loaded, not on the first call', () => {
  expect(() => pathGlob({ globs: ['**/{a'], except: [], wholePath: false })).toThrow('is malformed at character');
  expect(() => pathGlob({ globs: ['a'], except: ['[a'], wholePath: false })).toThrow('is malformed at character');
});

test.each([false, true])(
  '[policy.guards] the prefilter never rejects text that a guard matches (whole path: %s)',
  (wholePath) => {
    const patterns = [
      { globs: ['**/.env', '.env'], except: ['docs/.env'], wholePath },
      { globs: ['*.pem', '/etc/**'], except: ['public.pem'], wholePath },
    ];
    const passes = pathSieve(patterns, wholePath);
    const guards = patterns.map(pathGlob);
    // More texts than a sieve caches, each tested twice.
    const texts = Array.from(
      { length: 400 },
      (_, i) => [`a${i}/.env`, `b${i}.pem`, `/etc/${i}`, `src/${i}.ts`][i % 4]!,
    );
    const asked = [...texts, ...texts];
    expect(asked.filter((text) => guards.some((guard) => guard.matches(text)) && !passes(text))).toEqual([]);
    expect(asked.filter((text) => text.endsWith('.ts') && passes(text))).toEqual([]);
  },
);
