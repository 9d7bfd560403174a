import fc from 'fast-check';
import * as z from 'zod';
import { canonicalize } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { isExactNumber } from '#core/kernel/exact-number.ts';
import {
  assertExact,
  jsonDefectOf,
  maxNesting,
  parseStrict,
  parseStrictBytes,
  parseStrictInTurns,
} from '#core/kernel/json.ts';
import { runs } from '../../support/extent.ts';
import { anything, readCases, rows, text } from '../../support/yaml.ts';

const { carried, refused } = readCases(
  'test/unit/kernel/json.yaml',
  z.strictObject({ carried: rows(text, anything), refused: rows(text) }),
);

const refusal = (work: () => unknown): GatewayError => {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was refused');
};

test.each([
  ['null'],
  ['-0.5e3'],
  ['"a\\u20ac\\"\\\\"'],
  ['[]'],
  ['{"a":{"a":1},"b":[{"a":1},{"a":2}]}'],
  [' { "a" : [ 1 , 2 ] } '],
  ['{"a":"{\\"b\\":1,\\"b\\":2}"}'],
  ['["a","a"]'],
])('%s is parsed the same way as by JSON.parse', (text) => {
  expect(parseStrict(text)).toEqual(JSON.parse(text));
});

test.each([
  ['{"a":1,"a":2}', /key "a" twice/],
  ['{"a":1,"\\u0061":2}', /key "a" twice/],
  ['[{"x":{"k":1,"b":[],"k":2}}]', /key "k" twice/],
  ['{"a" \n : 1, "a"\t: 2}', /key "a" twice/],
  ['{"a":"\\ud800"}', /lone surrogate/],
  ['{"\\udc00":1}', /lone surrogate/],
  ['1e999', /exactly/],
  ['{"a":[-1e400]}', /exactly/],
  ['{"a":1', /not valid JSON/],
  ['', /not valid JSON/],
  ["{'a':1}", /not valid JSON/],
  ['{"a":NaN}', /not valid JSON/],
])('%s is refused', (text, message) => {
  const error = refusal(() => parseStrict(text));
  expect(error.code).toBe('invalid_request');
  expect(error.message).toMatch(message);
});

test.each(carried)('[json.exact-numbers] %s is preserved exactly', (text, value) => {
  expect(JSON.stringify(parseStrict(text))).toBe(JSON.stringify(value));
});

test.each(refused)('[json.exact-numbers] %s is refused with advice on how to send it', (text) => {
  const error = refusal(() => parseStrict(text));
  expect(error.code).toBe('invalid_request');
  expect(jsonDefectOf(error)).toBe('inexact_number');
  expect(error.message).toMatch(/2\^53-1.*or send it as a string/);
  expect(() => parseStrict(text, { numbers: 'double' })).not.toThrow();
});

test('a number that no double can represent is refused in every number mode', () => {
  expect(refusal(() => parseStrict('[1e999]', { numbers: 'double' })).message).toMatch(/range/);
});

test('[json.exact-numbers] every double that is not a large integer is accepted, however it is written', () => {
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer({ min: 17, max: 30 }),
      (value, digits) => {
        const isLarge = Math.abs(value) > Number.MAX_SAFE_INTEGER;
        for (const written of [JSON.stringify(value), value.toPrecision(digits)])
          expect([written, isExactNumber(written)]).toEqual([written, !isLarge]);
      },
    ),
    { seed: 7, numRuns: runs(2_000, 300) },
  );
});

test('[json.exact-numbers] a member called __proto__ is refused at any depth, and similar names are preserved', () => {
  for (const text of ['{"__proto__":{"a":1}}', '{"a":[{"\\u005f_proto__":null}]}']) {
    const error = refusal(() => parseStrict(text));
    expect([error.code, jsonDefectOf(error)]).toEqual(['invalid_request', 'proto_key']);
    expect(error.message).toMatch(/"__proto__".*another name/);
  }
  const fine = '{"constructor":{"prototype":1},"toString":"__proto__","é":1,"é":2}';
  expect(canonicalize(parseStrict(fine))).toBe(canonicalize(JSON.parse(fine)));
  const carried = parseStrict('{"__proto__":{"a":1}}', { protoKeys: 'carried' });
  expect(canonicalize(carried)).toBe('{"__proto__":{"a":1}}');
});

test('[json.exact-numbers] a value from another parser is checked in the same way', () => {
  for (const text of ['{"__proto__":1}', '[9007199254740992]', '{"a":1e21}', '"\\ud800"'])
    expect(refusal(() => assertExact(JSON.parse(text))).code).toBe('invalid_request');
  expect(() => assertExact(JSON.parse('{"constructor":[0.1,-0,null,true,"x"]}'))).not.toThrow();
});

test('a raw lone surrogate in the text is refused', () => {
  expect(refusal(() => parseStrict('"\ud800"')).message).toMatch(/lone surrogate/);
});

test('nesting is allowed up to the limit and refused beyond it', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  expect(() => parseStrict(nested(maxNesting))).not.toThrow();
  expect(refusal(() => parseStrict(nested(maxNesting + 1))).message).toMatch(/deeper than 64/);
  expect(() => parseStrict(nested(maxNesting + 1), { nesting: maxNesting + 1 })).not.toThrow();
  expect(refusal(() => parseStrict(`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`)).code).toBe('invalid_request');
});

test.each([
  [
    'elements',
    (n: number) =>
      `[${Array(n - 1)
        .fill('0')
        .join(',')}]`,
  ],
  [
    'empty arrays',
    (n: number) =>
      `[${Array(n / 2 - 1)
        .fill('[]')
        .join(',')}]`,
  ],
  ['members', (n: number) => `{${Array.from({ length: n - 1 }, (_, at) => `"k${at}":0`).join(',')}}`],
])('[limit.body] too many values are refused before anything is built from them: %s', (_, of) => {
  expect(parseStrict(of(20_000))).toBeDefined();
  const parse = jest.spyOn(JSON, 'parse');
  expect(() => parseStrict(of(20_004))).toThrow(expect.objectContaining({ code: 'payload_too_large' }));
  expect(() => parseStrict('['.repeat(1_000_000))).toThrow(/deeper than 64/);
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
  expect(parseStrict(of(20_004), { values: 50_000 })).toBeDefined();
});

test('[limit.body] commas and brackets in strings do not count as values', () => {
  const text = JSON.stringify([`${'[,{\\"'.repeat(30_000)}`]);
  expect(parseStrict(text)).toHaveLength(1);
});

test('bytes must be valid UTF-8: malformed ones are refused, never replaced', () => {
  expect(parseStrictBytes(Buffer.from('"€"'))).toBe('€');
  expect(refusal(() => parseStrictBytes(Uint8Array.of(0x22, 0xff, 0x22))).message).toMatch(/UTF-8/);
  expect(refusal(() => parseStrictBytes(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22))).message).toMatch(/UTF-8/);
});

describe('[limit.hostile] parsing a large body in steps', () => {
  const inTurns = async (text: string) => {
    let turns = 0;
    const value = await parseStrictInTurns(Buffer.from(text), {}, async () => void turns++);
    return { value, turns };
  };

  test('gives the same value as parsing it in one step, and pauses before each pass over the text', async () => {
    const text = '{"a":[1,"\\"",{"b":null}]}';
    expect(await inTurns(text)).toEqual({ value: parseStrict(text), turns: 4 });
  });

  test.each(['{"a":1,"a":2}', '[', '{"__proto__":1}', '["\\ud800"]', '[1e999]', '['.repeat(100)])(
    'is refused with the same error as in one step: %s',
    async (text) => {
      const inOneTurn = () => parseStrict(text);
      const refusal = await inTurns(text).catch((fault: Error) => fault);
      expect(inOneTurn).toThrow((refusal as Error).message);
    },
  );
});
