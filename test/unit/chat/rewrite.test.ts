import fc from 'fast-check';
import { rewriting } from '#core/chat/rewrite.ts';
import type { Configuration, Tenant } from '#core/contracts/config.ts';

const made = (global: object, own?: object) =>
  rewriting(
    { transform: { response: { strip_pii: false, ...global } } } as unknown as Configuration,
    (own ? { transform: { response: { strip_pii: false, ...own } } } : {}) as Tenant,
  );

const rewritten = (chunks: readonly string[], ...settings: Parameters<typeof made>): string => {
  const run = made(...settings)!();
  return chunks.map((chunk) => run.push(chunk)).join('') + run.end();
};

test('returns undefined without rules', () => {
  expect(made({})).toBeUndefined();
  expect(made({ content_prefix: '' }, { replacements: {} })).toBeUndefined();
});

test("puts the platform's prefix and suffix outermost, the tenant's within", () => {
  expect(
    rewritten(['hi'], { content_prefix: '<', content_suffix: '>' }, { content_prefix: '(', content_suffix: ')' }),
  ).toBe('<(hi)>');
});

test('adds no prompt if there is no prefix or suffix', () => {
  expect(rewritten(['', ''], { content_prefix: '<', content_suffix: '>' })).toBe('');
});

test('uses the longest replacement that matches at a position', () => {
  expect(rewritten(['Acme Corp and Acme'], { replacements: { Acme: 'X', 'Acme Corp': 'Y' } })).toBe('Y and X');
});

test('[chat.routing] splitting the text into chunks does not change the result', () => {
  const replacements = { ab: '1', abc: '22', 'c.': '333' };
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c', '.'), maxLength: 5 })), (chunks) => {
      const whole = rewritten([chunks.join('')], { replacements, content_prefix: '>' });
      expect(rewritten(chunks, { replacements, content_prefix: '>' })).toBe(whole);
    }),
  );
});
