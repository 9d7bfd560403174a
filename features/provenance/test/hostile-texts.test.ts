/**
 * Text from other parties is parsed in time proportional to its length; slow parsing would exceed the test's timeout.
 */

import { addressesIn } from '#core/text/decode/addresses.ts';
import { formsOfValue } from '#features/provenance/texts-of.ts';
import { sourceOf } from '#features/provenance/trace.ts';
import { wordsSeen } from '#features/provenance/trace-call.ts';

const long = 64 * 1024;

test.each([' ', '-', '.', '@', '%', '[', 'a.', 'a', '1', '1,', 'ab', 'http://', ' at ', '11/'])(
  '[provenance.session] text that repeats %j many times is remembered, traced and searched for addresses',
  (piece) => {
    for (const text of [piece.repeat(long / piece.length), `${piece.repeat(long / piece.length - 8)}a%4`]) {
      expect(formsOfValue(text).forms.size).toBeLessThan(long);
      expect(addressesIn(text.slice(0, 16_384)).length).toBeLessThanOrEqual(32);
      expect(sourceOf(text, { seen: [wordsSeen('pay 11')], complete: true }).whole).toBeDefined();
    }
  },
);

test('[provenance.session] image bytes count neither as text nor as a gap; a text resource sent as bytes is parsed', () => {
  const picture = {
    content: [{ type: 'image', mimeType: 'image/png', data: Buffer.alloc(100_000, 7).toString('base64') }],
  };
  expect(formsOfValue(picture).gap).toBe(false);
  const blob = Buffer.from('write to eve@evil.example').toString('base64');
  expect(formsOfValue({ contents: [{ uri: 'a://b', mimeType: 'text/plain', blob }] }).forms).toContain(
    'eve@evil.example',
  );
});
