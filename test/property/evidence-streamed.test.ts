/**
 * Bundles read in pieces: the result is the same as for the whole text, whatever the change and the chunking
 * [evidence.large-sessions].
 */
import fc from 'fast-check';
import { bundleFormat } from '#core/contracts/evidence.ts';
import { bundlePieces } from '#core/evidence/bundle-pieces.ts';
import { verifyBundle } from '#core/evidence/verify.ts';
import { verifyStreamedBundle } from '#core/evidence/verify-streamed.ts';
import { runs } from '../support/extent.ts';
import { otherKey, sealedSession, trustedKey } from '../unit/evidence/sample.ts';

const chunksOf = (bytes: Uint8Array, size: number) =>
  async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  };
const streamed = (text: string | Uint8Array, size = 7, trustedPublicKey: string | undefined = trustedKey) =>
  verifyStreamedBundle(chunksOf(Buffer.from(text as string), size), { trustedPublicKey, log: {} });
const bundle = sealedSession().then(({ entries, manifest }) => ({
  format: bundleFormat,
  manifest,
  entries,
  public_key: trustedKey,
}));
const texts = async () => {
  const document = await bundle;
  const { entries, ...rest } = document;
  return [JSON.stringify(document), JSON.stringify(document, null, 2), JSON.stringify({ entries, ...rest })];
};

test('[evidence.large-sessions] an unchanged bundle is valid, in any layout and in chunks of any size', async () => {
  for (const text of await texts())
    for (const size of [1, 3, 64, 1 << 20]) {
      expect(await streamed(text, size)).toEqual(await verifyBundle(text, trustedKey));
      expect((await streamed(text, size)).valid).toBe(true);
    }
  expect((await streamed((await texts())[0]!, 7, otherKey)).valid).toBe(false);
  expect((await streamed(`\uFEFF${(await texts())[1]}`)).valid).toBe(true);
});

test('[evidence.large-sessions] a bundle changed in any part gets the same result when streamed as when read whole', async () => {
  const text = (await texts())[1]!;
  const piece = fc.oneof(
    fc.string({ unit: 'binary-ascii', maxLength: 2 }),
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '"entries":[],',
      '"x":1,',
      '\u0000',
      'é',
      '{},',
      '"__proto__":{},',
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.nat(text.length - 1),
      fc.nat(3),
      piece,
      fc.integer({ min: 1, max: 50 }),
      async (at, cut, put, size) => {
        const altered = text.slice(0, at) + put + text.slice(at + cut);
        const [a, b] = [await verifyBundle(altered, trustedKey), await streamed(altered, size)];
        expect([altered.slice(at - 20, at + 20), b.valid, b.broken_link?.index]).toEqual([
          altered.slice(at - 20, at + 20),
          a.valid,
          a.broken_link?.index,
        ]);
      },
    ),
    { numRuns: runs(600, 120) },
  );
});

test.each([
  ['nothing', '', 'the end at character 1'],
  ['a list', '[]', 'no opening brace'],
  ['text after the end', '{} x', 'text after the end'],
  ['a member twice', '{"a":1,"\\u0061":2}', 'twice'],
  ['an end that is missing', '{"entries":[{}', 'the end'],
  ['a mismatched bracket', '{"entries":[1}', 'a mismatched bracket'],
  ['another bracket', '{"a":1]', 'a mismatched bracket'],
  ['a comma too many', '{"a":1,}', 'no member name'],
  ['no colon', '{"a" 1}', 'no colon'],
  ['a second list of entries', '{"entries":[],"entries":[]}', 'twice'],
])('[evidence.large-sessions] %s is not a valid bundle', async (_, text, found) => {
  const { valid, broken_link } = await streamed(text);
  expect([valid, broken_link]).toEqual([false, { index: 0, reason: expect.stringContaining(found) }]);
});

test('[evidence.large-sessions] bytes that are not UTF-8 are not a valid bundle', async () => {
  const { broken_link } = await streamed(Buffer.from([0x7b, 0xff, 0x7d]));
  expect(broken_link?.reason).toContain('not valid UTF-8');
});

test('[evidence.large-sessions] a bundle that changes between the two reads is invalid', async () => {
  const [text, spaced] = await texts();
  let times = 0;
  const read = () => chunksOf(Buffer.from(times++ === 0 ? text! : spaced!), 64)();
  const { valid, broken_link } = await verifyStreamedBundle(read, { trustedPublicKey: trustedKey, log: {} });
  expect([valid, broken_link?.reason]).toEqual([false, 'the bundle changed while it was read']);
});

test('[evidence.large-sessions] each entry is passed on before the next one is read', async () => {
  let sent = 0;
  const source = async function* () {
    yield '{"entries":[';
    for (; sent < 100; sent++) yield `${sent === 0 ? '' : ','}{"n":${sent}}`;
    yield ']}';
  };
  const lead: number[] = [];
  let seen = 0;
  for await (const _ of bundlePieces(source())) lead.push(sent - seen++);
  expect(seen).toBe(100);
  expect(Math.max(...lead)).toBeLessThanOrEqual(2);
});
