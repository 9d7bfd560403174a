/** Text, definitions and arguments made to misuse a model, in 50 kinds. All addresses and names are invented. */
import * as z from 'zod';
import { readCases } from '../../support/yaml.ts';
import { type Row, rowsOf, type Sample } from './sample.ts';

const result = (text: string): Sample => ({ place: 'result', text });
const before = 'The quarterly figures are attached. Revenue grew in all regions, and costs stayed flat.\n\n';
const after = '\n\nRegards, the reporting team.';
const within = (text: string): Sample => result(before + text + after);
const definition = (more: Record<string, unknown>): Sample => ({
  place: 'definition',
  definition: {
    name: 'get_weather',
    description: 'Returns the weather of a city.',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    ...more,
  },
});
const beside = (more: Record<string, unknown>): Sample => ({
  place: 'beside',
  own: [],
  definition: { name: 'get_weather', description: 'Returns the weather of a city.', ...more },
});
const described = (text: string): Sample => definition({ description: `Returns the weather of a city. ${text}` });
const argument =
  (name: string) =>
  (text: string): Sample => ({ place: 'argument', parameters: { [name]: text } });

const list = z.array(z.string());
const texts = readCases(
  'test/corpora/tool-guard/harmful.yaml',
  z.strictObject({
    /** Instructions that other kinds wrap, hide and encode. */
    orders: list,
    plain: z.record(z.string(), list),
    other: z.record(z.string(), list),
    definitions: z.record(z.string(), list),
    arguments: z.record(z.string(), z.strictObject({ name: z.string(), texts: list })),
  }),
);

const wrapped = (wrap: (text: string) => string) => (text: string) => within(wrap(text));
const codes = (text: string, one: (code: number) => string) =>
  [...text].map((char) => one(char.codePointAt(0)!)).join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const lookAlike = (text: string) => text.replace(/a/g, 'а').replace(/e/g, 'е').replace(/o/g, 'о').replace(/p/g, 'р');
const leet = (text: string) => text.replace(/e/g, '3').replace(/o/g, '0').replace(/i/g, '1');
const tagged = (text: string) => codes(text, (code) => (code < 128 ? String.fromCodePoint(0xe0000 + code) : ''));
const widthless = (text: string) =>
  codes(text.slice(0, 40), (code) =>
    [...code.toString(2).padStart(8, '0')].map((bit) => (bit === '1' ? '\u200c' : '\u200b')).join(''),
  );

const wraps: Readonly<Record<string, (text: string) => string>> = {
  'HTML comment': (text) => `<p>Welcome.</p><!-- ${text} -->`,
  'alternative text': (text) => `![${text}](https://img.example/logo.png)`,
  'hidden element': (text) => `<div style="display:none">${text}</div><p>Shop</p>`,
  'white text': (text) => `<span style="color:#fff; font-size:1px">${text}</span>`,
  'markdown comment': (text) => `# Title\n\n[//]: # (${text})\n`,
  'code comment': (text) => `def total(items):\n    # ${text}\n    return sum(items)`,
  'JSON member': (text) => JSON.stringify({ id: 7, title: 'Invoice', note_to_reader: text, amount: 120 }),
  'title attribute': (text) => `<a href="/x" title="${text.replace(/"/g, '')}">more</a>`,
  base64: (text) => `Attachment: ${base64(text)}`,
  'base64 twice': (text) => `Attachment: ${base64(base64(text))}`,
  hexadecimal: (text) => `dump ${Buffer.from(text).toString('hex')}`,
  'percent signs': (text) => `q=${codes(text, (code) => `%${code.toString(16).padStart(2, '0')}`)}`,
  'character references': (text) => codes(text, (code) => `&#${code};`),
  'unicode escapes': (text) => codes(text, (code) => `\\u${code.toString(16).padStart(4, '0')}`),
  'letters apart': (text) =>
    text
      .slice(0, 60)
      .split(' ')
      .map((word) => [...word].join(' '))
      .join('   '),
  'look-alike letters': lookAlike,
  'digits for letters': leet,
  'tag letters': (text) => `Fine.${tagged(text)}`,
  'no width': (text) => `Fine.${widthless(text)}`,
  'marks inside words': (text) => text.replace(/\b(\w{2})(\w{2,})/g, '$1**$2**'),
};

const definitions: Readonly<Record<string, (text: string) => Sample>> = {
  'description that orders': described,
  'description that names keys': described,
  'parameter for the conversation': (name) =>
    definition({ inputSchema: { type: 'object', properties: { [name]: { type: 'string' } } } }),
  'parameter described so': (description) =>
    definition({ inputSchema: { type: 'object', properties: { hint: { type: 'string', description } } } }),
  'look-alike name': (name) => definition({ name }),
  'hidden text in a description': (text) => definition({ description: `Weather.${tagged(text)}` }),
  'order about another server': (text) => beside({ description: `Returns the weather. ${text}` }),
  'full name of another server': (text) => beside({ description: text }),
  'name that passes for another server': (name) => beside({ name }),
  'annotation against the name': (name) => definition({ name, annotations: { readOnlyHint: true } }),
};

export function harmful(): Row[] {
  let seed = 4_000;
  const rows = (kind: string, templates: readonly string[], each: number, sample: (text: string) => Sample) =>
    rowsOf(kind, templates, each, ++seed, sample);
  return [
    ...Object.entries(texts.plain).flatMap(([kind, templates]) => rows(kind, templates, 2, within)),
    ...Object.entries(wraps).flatMap(([kind, wrap]) => rows(kind, texts.orders, 2, wrapped(wrap))),
    ...Object.entries(texts.other).flatMap(([kind, templates]) => rows(kind, templates, 2, within)),
    ...Object.entries(definitions).flatMap(([kind, sample]) =>
      rows(kind, texts.definitions[kind] ?? texts.orders, 2, sample),
    ),
    ...Object.entries(texts.arguments).flatMap(([kind, of]) => rows(kind, of.texts, 2, argument(of.name))),
  ];
}
