import { GatewayError } from '#core/kernel/errors.ts';
import { maxNesting, parseStrict, parseStrictBytes } from '#core/kernel/json.ts';

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
])('%s parses as JSON.parse does', (text) => {
  expect(parseStrict(text)).toEqual(JSON.parse(text));
});

test.each([
  ['{"a":1,"a":2}', /key "a" twice/],
  ['{"a":1,"\\u0061":2}', /key "a" twice/],
  ['[{"x":{"k":1,"b":[],"k":2}}]', /key "k" twice/],
  ['{"a" \n : 1, "a"\t: 2}', /key "a" twice/],
  ['{"a":"\\ud800"}', /lone surrogate/],
  ['{"\\udc00":1}', /lone surrogate/],
  ['1e999', /range/],
  ['{"a":[-1e400]}', /range/],
  ['{"a":1', /not valid JSON/],
  ['', /not valid JSON/],
  ["{'a':1}", /not valid JSON/],
  ['{"a":NaN}', /not valid JSON/],
])('%s is refused', (text, message) => {
  const error = refusal(() => parseStrict(text));
  expect(error.code).toBe('invalid_request');
  expect(error.message).toMatch(message);
});

test('a raw lone surrogate in the text is refused', () => {
  expect(refusal(() => parseStrict('"\ud800"')).message).toMatch(/lone surrogate/);
});

test('nesting is allowed up to the limit and refused beyond it', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  expect(() => parseStrict(nested(maxNesting))).not.toThrow();
  expect(refusal(() => parseStrict(nested(maxNesting + 1))).message).toMatch(/deeper than 64/);
  expect(() => parseStrict(nested(maxNesting + 1), maxNesting + 1)).not.toThrow();
  expect(refusal(() => parseStrict(`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`)).code).toBe('invalid_request');
});

test('bytes must be UTF-8: malformed ones are refused, never replaced', () => {
  expect(parseStrictBytes(Buffer.from('"€"'))).toBe('€');
  expect(refusal(() => parseStrictBytes(Uint8Array.of(0x22, 0xff, 0x22))).message).toMatch(/UTF-8/);
  expect(refusal(() => parseStrictBytes(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22))).message).toMatch(/UTF-8/);
});
