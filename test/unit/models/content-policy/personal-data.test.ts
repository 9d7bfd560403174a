/** Personal data, and text that only resembles it. */
import * as z from 'zod';
import type { PiiEntity } from '#core/contracts/config.ts';
import { policyOf, whole } from '../../../support/content-policy.ts';
import { readCases } from '../../../support/yaml.ts';

const { found, harmless } = readCases(
  'test/unit/models/content-policy/personal-data.yaml',
  z.strictObject({ found: z.array(z.tuple([z.string(), z.string()])), harmless: z.array(z.string()) }),
);

const everything: PiiEntity[] = ['email', 'ssn', 'credit_card', 'phone', 'iban', 'ip', 'api_key'];

const redact = (text: string, entities = everything): Promise<{ text: string }> =>
  whole(policyOf({ output: [{ name: 'pii', type: 'pii', action: 'redact', entities }] }), text);

test.each(found)('found: %s', async (text, redacted) => {
  expect((await redact(text)).text).toBe(redacted);
});

test.each(harmless)('not found: %s', async (text) => {
  expect((await redact(text)).text).toBe(text);
});

test('digits in an account number are not mistaken for a card number', async () => {
  const account = 'ES52 5242 7216 1813 8430 7887';
  expect((await redact(account, ['credit_card'])).text).toBe(account);
  const card = account.replace('ES52', 'ES53');
  expect((await redact(card, ['credit_card'])).text).toBe('ES53 [REDACTED:CREDIT_CARD] 7887');
});

test('a valid card number or IP address is found between other numbers', async () => {
  expect((await redact('7 4111 1111 1111 1111 7', ['credit_card'])).text).toBe('7 [REDACTED:CREDIT_CARD] 7');
  expect((await redact('1.2.3.4.5 10.0.0.1', ['ip'])).text).toBe('1.2.3.4.5 [REDACTED:IP]');
});

// In these, every second or fifth character may start a card number.
const columns = [
  ['4 ', '4 4 4'],
  ['4444 ', '4444 4444'],
  ['4-', '4-4-4'],
] as const;

test.each(columns)('[content.personal-data] scanning a column of digits takes linear time: %j', async (unit, name) => {
  const column = unit.repeat(100_000);
  const found = await redact(`${column}x 4111 1111 1111 1111`, ['credit_card']);
  expect(found.text === `${column}x [REDACTED:CREDIT_CARD]`).toBe(true);
  expect((await redact(name, ['credit_card'])).text).toBe(name);
});

test('one kind of data never hides another kind from the filter that blocks it', async () => {
  const policy = policyOf({
    output: [
      { name: 'keys', type: 'pii', action: 'log', entities: ['api_key'] },
      { name: 'mail', type: 'pii', action: 'block', entities: ['email'] },
    ],
  });
  const { verdict } = await whole(policy, 'token=ann@example.com');
  expect(verdict).toMatchObject({ decision: 'block', matched_rule: 'content:mail' });
});
