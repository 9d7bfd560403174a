/** What is personal data, and what only looks like it. */
import type { PiiEntity } from '#core/contracts/config.ts';
import { policyOf, whole } from '../../../support/content-policy.ts';

const everything: PiiEntity[] = ['email', 'ssn', 'credit_card', 'phone', 'iban', 'ip', 'api_key'];

const redact = (text: string, entities = everything): Promise<{ text: string }> =>
  whole(policyOf({ output: [{ name: 'pii', type: 'pii', action: 'redact', entities }] }), text);

const found: readonly (readonly [text: string, redacted: string])[] = [
  ['ann.lee+news@mail.example.co.uk', '[REDACTED:EMAIL]'],
  ['Write to bob@example.com.', 'Write to [REDACTED:EMAIL].'],
  ['<jörg@müller.de>', '<[REDACTED:EMAIL]>'],
  ['联系我bob@example.com谢谢', '联系我[REDACTED:EMAIL]谢谢'],
  ['bob\u200b@exam\u00adple.com', '[REDACTED:EMAIL]'],
  ['ｂｏｂ＠ｅｘａｍｐｌｅ．ｃｏｍ', '[REDACTED:EMAIL]'],
  ['SSN 078-05-1120, 078 05 1120', 'SSN [REDACTED:SSN], [REDACTED:SSN]'],
  ['０７８-０５-１１２０', '[REDACTED:SSN]'],
  ['078–05–1120', '[REDACTED:SSN]'],
  ['号码078-05-1120是', '号码[REDACTED:SSN]是'],
  ['4111 1111 1111 1111', '[REDACTED:CREDIT_CARD]'],
  ['4111-1111-1111-1111', '[REDACTED:CREDIT_CARD]'],
  ['card:4111111111111111.', 'card:[REDACTED:CREDIT_CARD].'],
  ['4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1', '[REDACTED:CREDIT_CARD]'],
  ['41\u200b11\u200b1111\u200b1111\u200b1111', '[REDACTED:CREDIT_CARD]'],
  ['3782 822463 10005 and 5555555555554444', '[REDACTED:CREDIT_CARD] and [REDACTED:CREDIT_CARD]'],
  ['no 12 4111 1111 1111 1111 12/27', 'no 12 [REDACTED:CREDIT_CARD] 12/27'],
  ['+49 30 1234567', '[REDACTED:PHONE]'],
  ['+14155552671', '[REDACTED:PHONE]'],
  ['0049 30 1234567', '[REDACTED:PHONE]'],
  ['(415) 555-2671', '[REDACTED:PHONE]'],
  ['415-555-2671,415.555.2671', '[REDACTED:PHONE],[REDACTED:PHONE]'],
  ['1-800-555-0199?', '[REDACTED:PHONE]?'],
  ['030/123 45 67 or 0171 1234567', '[REDACTED:PHONE] or [REDACTED:PHONE]'],
  ['01 23 45 67 89', '[REDACTED:PHONE]'],
  ['020 7946 0958', '[REDACTED:PHONE]'],
  ['ist Tel. 612 345 678', 'ist Tel. [REDACTED:PHONE]'],
  ['(+49) 30 1234567, +49 (0)30 1234567', '[REDACTED:PHONE], [REDACTED:PHONE]'],
  ['+14155552671 24/7', '[REDACTED:PHONE] 24/7'],
  ['{"phone":"6123456789","id":6123456789}', '{"phone":"[REDACTED:PHONE]","id":6123456789}'],
  ['mobilePhone=612345678', 'mobilePhone=[REDACTED:PHONE]'],
  ['WhatsApp 98765 43210', 'WhatsApp [REDACTED:PHONE]'],
  ['+1 555 123 4567', '[REDACTED:PHONE]'],
  ['3782-822463-10005', '[REDACTED:CREDIT_CARD]'],
  ['3056 930902 5904', '[REDACTED:CREDIT_CARD]'],
  ['4111.1111.1111.1111', '[REDACTED:CREDIT_CARD]'],
  ['4111 - 1111 - 1111 - 1111', '[REDACTED:CREDIT_CARD]'],
  ['4111·1111·1111·1111', '[REDACTED:CREDIT_CARD]'],
  ['4111\u20091111\u20091111\u20091111', '[REDACTED:CREDIT_CARD]'],
  ['４１１１ １１１１ １１１１ １１１１', '[REDACTED:CREDIT_CARD]'],
  ['4111111111111111/1227', '[REDACTED:CREDIT_CARD]/1227'],
  ['7,4111111111111111,Ann', '7,[REDACTED:CREDIT_CARD],Ann'],
  ['my card is 180070249603692', 'my card is [REDACTED:CREDIT_CARD]'],
  ['card 213158253605181', 'card [REDACTED:CREDIT_CARD]'],
  ['Please block the card 3592200119252009', 'Please block the card [REDACTED:CREDIT_CARD]'],
  ['Maestro 676303278946', 'Maestro [REDACTED:CREDIT_CARD]'],
  ['credit_card_number: 4084852955418', 'credit_card_number: [REDACTED:CREDIT_CARD]'],
  ['4084852955418 is my card', '[REDACTED:CREDIT_CARD] is my card'],
  ['9822 3749', '[REDACTED:PHONE]'],
  ['You can call 468 6549', 'You can call [REDACTED:PHONE]'],
  ['Ann, 612 345 678, Madrid', 'Ann, [REDACTED:PHONE], Madrid'],
  ['oder (06 1) 234 5835', 'oder [REDACTED:PHONE]'],
  ['phone +6 (778) 744-5358', 'phone [REDACTED:PHONE]'],
  ['my SSN is 078051120', 'my SSN is [REDACTED:SSN]'],
  ['version 4: 10.0.0.1', 'version 4: [REDACTED:IP]'],
  ['ssh ann@10.0.0.1, host ip-10.0.0.1', 'ssh ann@[REDACTED:IP], host ip-[REDACTED:IP]'],
  ['ES52 5242 7216 1813 8430 7887', '[REDACTED:IBAN]'],
  ['DE89 3704 0044 0532 0130 00 is mine', '[REDACTED:IBAN] is mine'],
  ['GB82WEST12345698765432', '[REDACTED:IBAN]'],
  ['nl91 abna 0417 1643 00', '[REDACTED:IBAN]'],
  ['host 192.168.10.1.', 'host [REDACTED:IP].'],
  ['http://10.0.0.1:8080/', 'http://[REDACTED:IP]:8080/'],
  ['[2001:db8::ff00:42:8329]', '[[REDACTED:IP]]'],
  ['::1 and fe80::1', '[REDACTED:IP] and [REDACTED:IP]'],
  ['::ffff:192.0.2.128', '[REDACTED:IP]'],
  ['key AKIAABCDEFGHIJKLMNOP', 'key [REDACTED:API_KEY]'],
  ['ghp_0123456789abcdefghijABCDEFGHIJ', '[REDACTED:API_KEY]'],
  ['password: hunter2', 'password: [REDACTED:API_KEY]'],
];

test.each(found)('found: %s', async (text, redacted) => {
  expect((await redact(text)).text).toBe(redacted);
});

const harmless = [
  'order 1234567890 of 2024',
  'Release 2.14.3.1',
  'upgraded from 4.1.2.0 to 4.1.3.0',
  'pip install x==2.14.3.1',
  'libfoo-2.14.3.1.so',
  'discard 676303278946',
  'card order no. 676303278946',
  'from 2019 2020, levels 10 20 30 40, rows 5000 6000',
  'total 612 345 678 EUR',
  'call 12345678 took 3 ms',
  'order 078051120',
  'ORD-2024-000123456',
  'invoice no. 20240115-0001',
  'at 1700000000 or 1700000000123',
  '2024-01-15T10:30:00.123456Z',
  '2024-01-15 10:30:00 +0200',
  '01.02.2024, 01/02/2024 and 1-2-24',
  '01.02.2024 12 Uhr',
  '550e8400-e29b-41d4-a716-446655440000',
  '00000000-0000-0000-0000-000000000000',
  'v1.2.3.4 and 1.2.3, 10.15.7',
  '1.2.3.4.5',
  '999.10.10.10',
  'npm@10.9.2 node@24',
  'see @ann, a @ b, x@y',
  '000-12-3456 666-12-3456 900-12-3456 123-00-4567 123-45-0000',
  '1123-45-67890',
  '4111 1111 1111 1112',
  '1234 5678 9012 3456',
  '4111111111111111111111',
  '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20',
  'DE89 3704 0044 0532 0130 01',
  'DE89 3704 0044',
  'AB12 3456 7890 1234 5678',
  '12:34:56 and 01:23',
  'aa:bb:cc:dd:ee:ff',
  'std::vector<Dead::Beef>',
  'matrix 100 200 300 4000',
  'pi is 3.14159265358979, e 2.718281828459045',
  '1,000,000.00 and 1 000 000',
  '0x7fffffff 0b1010',
  'ISBN 978-3-16-148410-0',
  'order 415-555-2671',
  'EAN 4006381333931',
  'IMEI 35-209900-176148-1',
  'iPhone 15 1234567',
  'call_id 4155552671',
  'tokens=1679',
  '41.1234567, -71.1234567',
  'page 415, line 555, word 2671',
  'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'risk-assessment-of-task-management-and-more',
  'password policy: at least 12 characters'.replace(': ', ' means '),
];

test.each(harmless)('not found: %s', async (text) => {
  expect((await redact(text)).text).toBe(text);
});

test('digits of an account are not a card', async () => {
  const account = 'ES52 5242 7216 1813 8430 7887';
  expect((await redact(account, ['credit_card'])).text).toBe(account);
  const card = account.replace('ES52', 'ES53');
  expect((await redact(card, ['credit_card'])).text).toBe('ES53 [REDACTED:CREDIT_CARD] 7887');
});

test('a valid number is found behind and before other numbers', async () => {
  expect((await redact('7 4111 1111 1111 1111 7', ['credit_card'])).text).toBe('7 [REDACTED:CREDIT_CARD] 7');
  expect((await redact('1.2.3.4.5 10.0.0.1', ['ip'])).text).toBe('1.2.3.4.5 [REDACTED:IP]');
});

// In these every second, or every fifth, character may begin a card number.
const columns = [
  ['4 ', '4 4 4'],
  ['4444 ', '4444 4444'],
  ['4-', '4-4-4'],
] as const;

test.each(columns)('[filters.pii-linear] a column of digits costs no more than its length: %j', async (unit, name) => {
  const column = unit.repeat(100_000);
  const found = await redact(`${column}x 4111 1111 1111 1111`, ['credit_card']);
  expect(found.text === `${column}x [REDACTED:CREDIT_CARD]`).toBe(true);
  expect((await redact(name, ['credit_card'])).text).toBe(name);
});

test('only the entities a filter names are looked for', async () => {
  expect((await redact('bob@example.com 10.0.0.1', ['ip'])).text).toBe('bob@example.com [REDACTED:IP]');
});

test('one kind of data never hides another from a filter that blocks it', async () => {
  const policy = policyOf({
    output: [
      { name: 'keys', type: 'pii', action: 'log', entities: ['api_key'] },
      { name: 'mail', type: 'pii', action: 'block', entities: ['email'] },
    ],
  });
  const { verdict } = await whole(policy, 'token=ann@example.com');
  expect(verdict).toMatchObject({ decision: 'block', matched_rule: 'content:mail' });
});
