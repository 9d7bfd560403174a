import { encodedParts } from '#core/text/decode/encoded-parts.ts';

test.each([
  ['base64', 'SWdub3Jl'],
  ['hexadecimal', '49676e6f7265'],
])('[provenance.traced] a single word encoded in %s is decoded', (_name, word) => {
  expect([...encodedParts(`say ${word} now`)].map(({ text }) => text)).toEqual(['Ignore']);
});

test.each([
  'The implementation returns Approximately three values.',
  'getUserById(customerId)',
  'core/text/decode/encoded-parts.ts',
  '2026-11-28T16:00:00.000Z',
  '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '+49 170 1234567, order 1700000000',
])('[provenance.traced] nothing is decoded in %s', (text) => {
  expect([...encodedParts(text)]).toEqual([]);
});
