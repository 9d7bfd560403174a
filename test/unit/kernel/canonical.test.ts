import { createHash } from 'node:crypto';
import fc from 'fast-check';
import * as z from 'zod';
import { canonicalize, digestOf, hashDomain, sha256 } from '#core/kernel/canonical.ts';
import { runs } from '../../support/extent.ts';
import { readCases, rows, text } from '../../support/yaml.ts';

const { numbers } = readCases('test/unit/kernel/canonical.yaml', z.strictObject({ numbers: rows(text, text) }));

describe('RFC 8785', () => {
  test('matches the example in §3.2.2 to §3.2.4', () => {
    const input = JSON.parse(
      String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    );
    const expected = String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`;
    expect(canonicalize(input)).toBe(expected);
  });

  test('sorts keys as §3.2.3 requires: by UTF-16 code units, not code points', () => {
    const input = JSON.parse(
      String.raw`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
    );
    const keys = [...canonicalize(input).matchAll(/"([^"]+)":/g)].map(([, key]) => key);
    expect(keys).toEqual([String.raw`\r`, '1', '\u0080', 'ö', '€', '😀', '\ufb33']);
  });

  // Appendix B: IEEE 754 bits and their ECMAScript representation.
  test.each(numbers)('number with bits %s is written as %s', (bits, text) => {
    expect(canonicalize(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text);
  });

  test.each([['7fffffffffffffff'], ['7ff0000000000000']])('number with bits %s is refused', (bits) => {
    expect(() => canonicalize(Buffer.from(bits, 'hex').readDoubleBE())).toThrow(TypeError);
  });
});

describe('values that JSON cannot represent', () => {
  test.each([
    ['a lone surrogate', { text: '\ud800' }],
    ['a lone surrogate in a key', { '\udc00': 1 }],
    ['a bigint', { n: 1n }],
    ['a function', { f: () => 1 }],
    ['a symbol', Symbol('s')],
    ['undefined', undefined],
    ['a Date, which is stored as text but would be hashed as {}', { at: new Date(0) }],
    ['a Map', { m: new Map() }],
    ['bytes', { bytes: new Uint8Array(2) }],
  ])('%s is refused', (_, value) => {
    expect(() => canonicalize(value)).toThrow(TypeError);
  });

  test('undefined members are omitted and undefined elements are null, as in JSON.stringify', () => {
    const value = { b: undefined, a: [undefined, 1] };
    expect(canonicalize(value)).toBe(JSON.stringify(value));
  });

  test('objects without a prototype, and members called __proto__, are treated as data', () => {
    expect(canonicalize(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
    expect(canonicalize(JSON.parse('{"__proto__":{"x":1}}'))).toBe('{"__proto__":{"x":1}}');
  });

  test('any value is written with its members in UTF-16 code unit order, including numeric names, and is not modified', () => {
    const expected = (value: unknown): string =>
      Array.isArray(value)
        ? `[${value.map(expected).join(',')}]`
        : typeof value === 'object' && value !== null
          ? `{${Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([key, item]) => `${JSON.stringify(key)}:${expected(item)}`)
              .join(',')}}`
          : JSON.stringify(value);
    const key = fc.oneof(fc.constantFrom('9', '10', '-1', '01', '4294967295', '__proto__', 'toJSON'), fc.string());
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom(null, true, false),
        fc.array(tie('value')),
        fc.dictionary(key, tie('value')),
      ),
    }));
    fc.assert(
      fc.property(value, (any) => {
        const before = JSON.stringify(any);
        expect(canonicalize(any)).toBe(expected(any));
        expect(JSON.stringify(any)).toBe(before);
      }),
      { numRuns: runs(1_000, 150) },
    );
  });
});

describe('hashing', () => {
  test('the hash prefix is a single byte before the UTF-8 text', () => {
    for (const prefix of [hashDomain.entry, hashDomain.manifest]) {
      const bytes = Buffer.concat([Buffer.of(prefix), Buffer.from('héllo')]);
      const expected = createHash('sha256').update(bytes).digest('hex');
      expect(sha256('héllo', prefix)).toBe(expected);
      expect(sha256(Buffer.from('héllo'), prefix)).toBe(expected);
    }
    expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256(Buffer.from('abc'))).toBe(sha256('abc'));
  });

  test('a digest does not depend on the order of keys', () => {
    expect(digestOf({ a: 1, b: [2] })).toBe(digestOf({ b: [2], a: 1 }));
  });
});
