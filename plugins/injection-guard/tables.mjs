/** Compiles `words.yaml`, `rules.txt` and the names of secret files into the tables that are built into the module. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { characterKinds, kinds, leastSizes } from '#core/text/decode/encoded-characters.ts';
import { foldText } from '#core/text/fold/visible.ts';
import { secretNames } from './secret-names.mjs';

const read = (file) => readFileSync(new URL(file, import.meta.url), 'utf8');

/** Word classes that are recognised by form. */
const byForm = ['link', 'secretPath', 'secretName', 'toolName', 'marker', 'filledLink', 'address', 'clause'];
/** Classes that instructions to a model require: their words are also recognised reversed and in ROT13. */
const turned = [
  ...['override', 'prior', 'directive', 'rules', 'model', 'user', 'talk', 'secret', 'reveal', 'persona'],
  ...['argument', 'protection', 'consent'],
];

/** Returns the source of `tables.ts`. */
export function tablesModule() {
  const { classes, phrases, markers } = parse(read('words.yaml'));
  const { cues, rules, noted } = rulesIn(read('rules.txt'));
  const names = [...Object.keys(classes), ...byForm, ...noted.filter((name) => !Object.hasOwn(classes, name))];
  const id = (name) => {
    const at = names.indexOf(name);
    if (at < 0) throw new Error(`rules.txt: \`${name}\` is neither a class of words.yaml nor noted by a rule.`);
    return at;
  };
  const code = rules.map((rule) => encoded(rule, id, cues));
  const offsets = code.map((_, at) => code.slice(0, at).flat().length);
  const rulesOf = names.map((name) => rules.flatMap(({ on }, at) => (on.includes(name) ? [offsets[at]] : [])));
  const accented = [...range(0xc0, 0x24f), ...range(0x1e00, 0x1eff)];
  const { names: secretNamed, ends, except } = secretNames();
  return [
    `export const classes: i32 = ${names.length};`,
    `export const cues: i32 = ${cues.length};`,
    ...['conceal', 'stealth', 'false-error', 'foreign-phrase'].map((name) => constant(name, cueNamed(cues, name))),
    ...byForm.map((name) => constant(name, id(name))),
    array(
      'string',
      'descriptions',
      cues.map(({ description }) => JSON.stringify(description)),
    ),
    array(
      'bool',
      'suffices',
      cues.map(({ suffices }) => suffices),
    ),
    array(
      'string',
      'words',
      Object.values(classes).map((list) => JSON.stringify(bothForms(list))),
    ),
    array(
      'bool',
      'turnedClasses',
      names.map((name) => turned.includes(name)),
    ),
    array(
      'string',
      'phrases',
      phrases.map((each) => JSON.stringify(each)),
    ),
    array(
      'string',
      'markers',
      markers.map((each) => JSON.stringify(each)),
    ),
    array('u8', 'code', code.flat()),
    array('u16', 'firstRule', [0, ...names.map((_, at) => rulesOf.slice(0, at + 1).flat().length)]),
    array('u16', 'ruleOffsets', rulesOf.flat()),
    `export const plainLetters: string = ${JSON.stringify(accented.map(plainLetter).join(''))};`,
    ...foldTables(),
    array('u8', 'characterKinds', range(0, 127).map(characterKinds)),
    ...Object.entries(kinds).map(([name, bit]) => `export const is${capital(name)}: i32 = ${bit};`),
    `export const anyBase32: i32 = ${kinds.base32 | kinds.base32Lower};`,
    ...Object.entries(leastSizes).map(([name, size]) => `export const least${capital(name)}: i32 = ${size};`),
    `export const secretFiles: string = ${JSON.stringify(secretNamed.join(' '))};`,
    `export const secretEnds: string = ${JSON.stringify(ends.join(' '))};`,
    `export const harmlessEnds: string = ${JSON.stringify(except.join(' '))};`,
    '',
  ].join('\n');
}

const constant = (name, value) =>
  `export const ${name.replace(/[A-Z]/g, '_$&').replace('-', '_').toUpperCase()}: i32 = ${value};`;
const capital = (name) => name[0].toUpperCase() + name.slice(1);
const array = (type, name, items) => `export const ${name}: StaticArray<${type}> = [${items.join(', ')}];`;
const range = (first, last) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

/** Includes folded forms, because the text is folded before it is matched: look-alike letters become Latin ones. */
const bothForms = (list) =>
  [...new Set(list.split(/\s+/).flatMap((word) => [word, foldText(word).toLowerCase()]))].join(' ');

/** Returns the letter without its accents, or unchanged if removing them would make it a different letter. */
function plainLetter(code) {
  const plain = String.fromCharCode(code).normalize('NFD').replace(/\p{M}/gu, '');
  return plain.length === 1 ? plain : String.fromCharCode(code);
}

/**
 * Returns tables of capitals, invisible characters and letters of other scripts that look Latin, with the character
 * that a reader sees.
 */
function foldTables() {
  const pairs = (first, last) =>
    range(first, last).flatMap((code) => {
      if (code >= 0xd800 && code < 0xe000) return [];
      const letter = String.fromCodePoint(code);
      const folded = foldText(letter).toLowerCase();
      const isRead = folded.length < 2 && folded !== letter && (code < 0x530 || folded < '\u0080');
      return isRead ? [[code - (first < 0x10000 ? 0 : first), folded === '' ? 0 : folded.charCodeAt(0)]] : [];
    });
  const [letters, astral] = [pairs(0x80, 0xffff), pairs(0x10000, 0x1ffff)];
  const units = (name, list, at) =>
    `export const ${name}: string = "${list.map((pair) => `\\u${pair[at].toString(16).padStart(4, '0')}`).join('')}";`;
  return [
    ...[units('letters', letters, 0), units('folds', letters, 1)],
    ...[units('astralLetters', astral, 0), units('astralFolds', astral, 1)],
  ];
}

/** Parses the rules. @throws Error naming the line. */
function rulesIn(text) {
  const defined = new Map();
  const cues = [];
  const rules = [];
  for (const line of text.split('\n').filter((each) => each.trim() !== '' && !each.startsWith('#'))) {
    const [, name, meaning] = /^define (\w+): (.+)$/.exec(line) ?? [];
    if (name !== undefined) {
      defined.set(name, conditionIn(meaning, line, defined));
      continue;
    }
    const [, cue, alone, description] = /^cue ([\w-]+)( alone)?: (.+)$/.exec(line) ?? [];
    if (cue !== undefined) {
      cues.push({ name: cue, suffices: alone !== undefined, description });
      continue;
    }
    const [, outcome, value, on, conditions] = /^(note|weak|strong) ([\w-]+) on ([\w ]+): (.+)$/.exec(line) ?? [];
    if (outcome === undefined) throw new Error(`rules.txt: not a rule: ${line}`);
    rules.push({
      outcome,
      value,
      on: on.split(' '),
      conditions: conditions.split(', ').map((each) => conditionIn(each, line, defined)),
    });
  }
  const noted = new Set(rules.flatMap(({ outcome, value }) => (outcome === 'note' ? [value] : [])));
  return { cues, rules, noted: [...noted] };
}

/** Returns the alternatives of a condition. */
const conditionIn = (text, line, defined) =>
  text.split(' | ').flatMap((part) => {
    if (defined.has(part)) return defined.get(part);
    const [, no, classes, words] = /^(!?)([\w/]+) (\d+)$/.exec(part) ?? [];
    if (classes === undefined || Number(words) > 60 || (no && classes.includes('/')))
      throw new Error(`rules.txt: not a condition: ${part} in ${line}`);
    return classes.split('/').map((name) => ({ name, words: Number(words), isAbsent: no === '!' }));
  });

/**
 * Encodes a rule: outcome, value and number of conditions, then for each condition the number of alternatives with
 * their classes and distances.
 */
const encoded = ({ outcome, value, conditions }, id, cues) => [
  ['note', 'weak', 'strong'].indexOf(outcome),
  outcome === 'note' ? id(value) : cueNamed(cues, value),
  conditions.length,
  ...conditions.flatMap((alternatives) => [
    alternatives.length,
    ...alternatives.flatMap(({ name, words, isAbsent }) => [id(name), words + (isAbsent ? 128 : 0)]),
  ]),
];

function cueNamed(cues, wanted) {
  const at = cues.findIndex(({ name }) => name === wanted);
  if (at < 0) throw new Error(`rules.txt: \`${wanted}\` is not a cue.`);
  return at;
}
