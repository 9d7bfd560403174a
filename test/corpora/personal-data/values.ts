/**
 * Personal data of every kind as people and programs write it, generated from its issuers' rules and not from the
 * detectors.
 */
import * as z from 'zod';
import type { PiiEntity } from '#core/contracts/config.ts';
import { readCases } from '../../support/yaml.ts';
import type { Random } from './random.ts';

export type Maker = (random: Random) => string;

const list = z.array(z.string());
const pairs = z.array(z.tuple([z.string(), z.string()]));
const { names, domains, schemes, rarer, cardWords, plans, local, phoneWords, accounts } = readCases(
  'test/corpora/personal-data/values.yaml',
  z.strictObject({
    names: list,
    domains: list,
    /** First digits, length, and the grouping on the scheme's cards. */
    schemes: z.array(z.tuple([z.string(), z.number(), z.array(z.number())])),
    /**
     * Networks and lengths whose ranges cannot be distinguished from other numbers: a card only if the text says so.
     */
    rarer: z.array(z.tuple([z.string(), z.number()])),
    /** Words before and after a card number. */
    cardWords: pairs,
    /**
     * Mobile and landline numbers of more than forty countries: with a country code, then as the country prints them;
     * `~` separates groups. Some short numbers are telephone numbers only if the text says so.
     */
    plans: pairs,
    /** Local numbers without an area code, as people give them within one area. */
    local: list,
    phoneWords: list,
    /** Country, and the account as the country formats it (`A` is a capital). */
    accounts: pairs,
  }),
);
const email: Maker = ({ one, number }) => {
  const address = `${one(names)}${one(['', `${number(1, 99)}`])}@${one(domains)}`;
  return one([address, address, address.toUpperCase(), address.replace('@', '＠')]);
};

const ssn: Maker = ({ one, number }) => {
  const area = one([number(1, 665), number(667, 899)]);
  const parts = [
    `${area}`.padStart(3, '0'),
    `${number(1, 99)}`.padStart(2, '0'),
    `${number(1, 9999)}`.padStart(4, '0'),
  ];
  const said = one(['SSN: ', 'social security number ', 'my SSN is ', '"ssn":"', 'Social Security No. ']);
  return one([parts.join('-'), parts.join(' '), parts.join('–'), `${said}\u0000${parts.join('')}`]);
};

/** Appends the check digit of ISO/IEC 7812. */
function withCheckDigit(digits: string): string {
  for (let check = 0; check < 10; check++) {
    let sum = 0;
    [...`${digits}${check}`].reverse().forEach((digit, place) => {
      const value = Number(digit) * (place % 2 === 1 ? 2 : 1);
      sum += value > 9 ? value - 9 : value;
    });
    if (sum % 10 === 0) return `${digits}${check}`;
  }
  throw new Error('one of ten digits is the check digit');
}

const grouped = (digits: string, groups: readonly number[], separator: string): string => {
  const starts = groups.map((_, index) => groups.slice(0, index).reduce((sum, length) => sum + length, 0));
  return starts.map((start, index) => digits.slice(start, start + groups[index]!)).join(separator);
};

const namedCard: Maker = ({ one, fill }) => {
  const [prefix, length] = one(rarer);
  const [before, after] = one(cardWords);
  const digits = withCheckDigit(fill(prefix + '#'.repeat(length - prefix.length - 1)));
  const written = one([digits, digits, length === 16 || length === 12 ? digits.replace(/.{4}(?=.)/g, '$& ') : digits]);
  return `${before}\u0000${written}\u0001${after}`;
};

const creditCard: Maker = (random) => {
  const { one, fill } = random;
  if (one([true, false, false])) return namedCard(random);
  const [prefix, length, groups] = one(schemes);
  const digits = withCheckDigit(fill(prefix + '#'.repeat(length - prefix.length - 1)));
  const separator = one([' ', ' ', '-', '.', '\u00a0', '\u2009', '–', '·', ' - ', '/', '']);
  const written = separator === '' && length < 14 ? grouped(digits, groups, ' ') : grouped(digits, groups, separator);
  return one([written, written, written, wide(written), spelled(digits, length)]);
};

/** Full-width digits. */
const wide = (text: string): string => text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
const spelled = (digits: string, length: number): string =>
  length < 14 ? grouped(digits, [4, 3, 3, 3], ' ') : [...digits].join(' ');

/** Numbers without area codes, or grouped like amounts: telephone numbers only if the text says so. */
const bare = /^(?:611~1|21~|8-612)/;

const phone: Maker = ({ one, fill }) => {
  const [international, national] = one(plans);
  const saysSo = one(phoneWords);
  const separator = one([' ', ' ', '-', '.', '\u00a0']);
  const abroad = fill(international.replaceAll('~', separator));
  const home = fill(national.replaceAll('~', /^0|^\(/.test(national) ? ' ' : one([' ', ' ', ' ', '-'])));
  const compact = fill(international.replace(/[~-]/g, ''));
  const needsWord = bare.test(national.replace(/#/g, '0')) || bare.test(national);
  return one([
    `${saysSo}\u0000${fill(one(local).replaceAll('~', ' '))}`,
    abroad,
    compact,
    abroad.replace('+', '00').replaceAll('.', ' '),
    needsWord ? `${saysSo}\u0000${home}` : home,
    `${saysSo}\u0000${fill(national.replace(/[~()\-/]/g, ''))}`,
    fill(international.replace(/^(\+\d+)~/, '$1 (0)').replaceAll('~', ' ')),
  ]);
};

const iban: Maker = ({ one, fill }) => {
  const [country, form] = one(accounts);
  const account = fill(form);
  const numbers = [...`${account}${country}00`].map((char) => Number.parseInt(char, 36)).join('');
  const check = `${98n - (BigInt(numbers) % 97n)}`.padStart(2, '0');
  const whole = `${country}${check}${account}`;
  const spaced = whole.replace(/.{4}(?=.)/g, '$& ');
  return one([
    whole,
    spaced,
    spaced,
    spaced.replaceAll(' ', '-'),
    whole.toLowerCase(),
    spaced.replaceAll(' ', '\u00a0'),
  ]);
};

const octet = ({ number }: Random): string => `${number(0, 255)}`;
const ip: Maker = (random) => {
  const { one, fill } = random;
  const four = [octet(random), octet(random), octet(random), octet(random)].join('.');
  const six = one([
    '2001:db8:⁴⁴⁴⁴:⁴⁴⁴⁴:⁴⁴⁴⁴:⁴⁴⁴⁴:⁴⁴⁴⁴:⁴⁴⁴⁴',
    '2001:db8::⁴⁴⁴⁴',
    'fe80::⁴⁴⁴⁴:⁴⁴ff:fe⁴⁴:⁴⁴⁴⁴',
    '2a00:1450:4001:8⁴⁴::200e',
    '::1',
  ]);
  return one([four, four, `::ffff:${four}`, fill(six), fill(six).toUpperCase()]);
};

const base64url = '²³²³²³²³²³²³²³²³²³²³²³²³²³²³²³²³²³²³';
const apiKey: Maker = ({ one, fill }) =>
  fill(
    one([
      'AKIA²²²²²²²²²²²²²²²²',
      `ghp_${'³²³²'.repeat(9)}`,
      'glpat-³²³²³²³²³²³²³²³²³²³²',
      'xoxb-##########-³²³²³²³²³²³²',
      'sk_live_³²³²³²³²³²³²³²³²³²³²',
      `AIza${'³²#'.repeat(11)}³²`,
      `npm_${'³²³'.repeat(12)}`,
      `sk-${'³²#'.repeat(12)}`,
      `eyJhbGciOiJIUzI1NiJ9.eyJ${base64url}.${base64url}`,
      'password: \u0000³²³#³²³³',
      'API_KEY=\u0000³²³²³#³²³²³²³²³²',
      '"client_secret":"\u0000³²³²³²³²#³²³²³\u0001"',
      'Authorization: \u0000Bearer ³²³²³²³²³²³²³²³²³#³²',
      '--token \u0000³²³²³²³²#³²³²',
      'postgres://app:\u0000³²³²#³²³\u0001@db:5432/x',
    ]),
  );

/**
 * Makers of values. Text before a NUL and after U+0001 gives context for the value between them and is not part of it.
 */
export const makers: Readonly<Record<PiiEntity, Maker>> = {
  email,
  ssn,
  credit_card: creditCard,
  phone,
  iban,
  ip,
  api_key: apiKey,
};
