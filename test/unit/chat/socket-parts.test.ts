/** Every message arrives complete, in pieces that fit. */
import fc from 'fast-check';
import { inParts } from '#core/chat/socket-batches.ts';
import { codePoint } from '../../support/code-point.ts';

const maxPostBytes = 32_000;

interface Part {
  readonly type: string;
  readonly id: string;
  readonly n: number;
  readonly last: boolean;
  readonly data: string;
}
const bytes = (text: string) => Buffer.byteLength(text);

test('[chat.ws] a message that fits is not changed', () => {
  const fits = JSON.stringify({ data: 'é'.repeat((maxPostBytes - 11) / 2) });
  expect(bytes(fits)).toBeGreaterThan(maxPostBytes - 2);
  expect(inParts(fits, 'a')).toEqual([fits]);
  expect(inParts(`${fits}  `, 'a').length).toBeGreaterThan(1);
});

test('[chat.ws] each part fits, no character is split, and the parts join to the original text', () => {
  const texts = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 400 }),
    fc
      .array(fc.constantFrom('"', '\\', '\n', '\u0000', 'a', 'é', '日', '🙂', '\ud83d'), { maxLength: 400 })
      .map((all) => all.join('')),
  );
  fc.assert(
    fc.property(texts, fc.stringMatching(/^[!-~]{1,20}$/), fc.integer({ min: 120, max: 300 }), (text, id, most) => {
      const posts = inParts(text, id, most);
      if (posts.length === 1) return expect(posts).toEqual([text]);
      const parts = posts.map((post) => JSON.parse(post) as Part);
      for (const post of posts) expect(bytes(post)).toBeLessThanOrEqual(most);
      expect(parts.map(({ type, n }) => `${type} ${n}`)).toEqual(parts.map((_, n) => `part ${n}`));
      expect(parts.map(({ last }) => last)).toEqual(parts.map((_, n) => n === parts.length - 1));
      expect(new Set(parts.map((part) => part.id))).toEqual(new Set([id]));
      if (text.isWellFormed()) for (const { data } of parts) expect(data.isWellFormed()).toBe(true);
      return expect(parts.map(({ data }) => data).join('')).toBe(text);
    }),
  );
});
