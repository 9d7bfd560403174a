/** Redaction of a credential's value, in any context and encoding. */
import fc from 'fast-check';
import { withoutSecrets } from '#core/execution/credentials/redact-values.ts';

const around = fc.string({ unit: 'grapheme', maxLength: 20 });
const secret = fc.string({ minLength: 12, maxLength: 60 });
const mask = '[credential withheld]';

describe('[credential.never-shown] a credential', () => {
  test('a credential is redacted as is, in URLs, in JSON and in hex', () => {
    fc.assert(
      fc.property(secret, around, around, (value, before, after) => {
        const forms = [
          value,
          encodeURIComponent(value),
          JSON.stringify(value).slice(1, -1),
          Buffer.from(value).toString('hex'),
        ];
        for (const form of forms) {
          const shown = withoutSecrets(before + form + after, [value]) as string;
          expect(shown).toContain(mask);
          expect(shown.replaceAll(mask, '')).not.toContain(form);
        }
      }),
    );
  });

  test('a credential cannot be recovered from base64 of text that contains it', () => {
    fc.assert(
      fc.property(secret, around, around, fc.constantFrom('base64', 'base64url'), (value, before, after, form) => {
        const shown = withoutSecrets(Buffer.from(before + value + after).toString(form), [value]) as string;
        expect(shown).toContain(mask);
        for (const part of shown.split(mask)) expect(Buffer.from(part, form).toString()).not.toContain(value);
      }),
    );
  });
});
