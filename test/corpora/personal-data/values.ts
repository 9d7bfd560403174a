/** Personal data of every kind as people and programs write it, made by the rules of its issuers and not by the detectors. */
import type { PiiEntity } from '#core/contracts/config.ts';
import type { Random } from './random.ts';

export type Maker = (random: Random) => string;

const names = [
  'ann',
  'bob.miller',
  'maria-jose',
  'k.o',
  'sven_1984',
  "d'arcy",
  'info',
  'no-reply',
  'x',
  'li.wei+news',
  'jörg',
  'мария',
];
const domains = [
  'example.com',
  'mail.example.co.uk',
  'firma.de',
  'uni-köln.de',
  'example.museum',
  'a.b.c.example.org',
  'почта.рф',
  'x.io',
];
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

/** First digits, length, how the scheme's cards print it. */
const schemes: readonly (readonly [prefix: string, length: number, groups: readonly number[]])[] = [
  ['4', 16, [4, 4, 4, 4]],
  ['4', 19, [4, 4, 4, 4, 3]],
  ['4', 13, [4, 3, 3, 3]],
  ['51', 16, [4, 4, 4, 4]],
  ['55', 16, [4, 4, 4, 4]],
  ['2221', 16, [4, 4, 4, 4]],
  ['2720', 16, [4, 4, 4, 4]],
  ['34', 15, [4, 6, 5]],
  ['37', 15, [4, 6, 5]],
  ['36', 14, [4, 6, 4]],
  ['38', 14, [4, 6, 4]],
  ['305', 14, [4, 6, 4]],
  ['6011', 16, [4, 4, 4, 4]],
  ['645', 16, [4, 4, 4, 4]],
  ['65', 16, [4, 4, 4, 4]],
  ['3530', 16, [4, 4, 4, 4]],
  ['62', 16, [4, 4, 4, 4]],
  ['62', 19, [6, 13]],
  ['6759', 16, [4, 4, 4, 4]],
  ['5018', 16, [4, 4, 4, 4]],
  ['2202', 16, [4, 4, 4, 4]],
  ['508', 16, [4, 4, 4, 4]],
  ['2131', 15, [4, 6, 5]],
  ['1800', 15, [4, 5, 6]],
];

/** Networks and lengths whose ranges are not told apart from other numbers: a card only where the text says so. */
const rarer: readonly (readonly [prefix: string, length: number])[] = [
  ...(['0604', '5018', '5020', '5038', '6304', '6759', '6761', '6763'] as const).flatMap((prefix) =>
    [12, 13, 14, 15, 16, 17, 18, 19].map((length) => [prefix, length] as const),
  ),
  ...[13, 16, 19].map((length) => ['4', length] as const),
  ...[15, 16].map((length) => ['1800', length] as const),
  ['2131', 15],
  ['35', 16],
  ['3592', 16],
  ['357111', 16],
  ['1', 15],
  ['506101', 16],
  ['506101', 18],
  ['650010', 19],
  ['636368', 16],
  ['606282', 16],
  ['5019', 16],
  ['637', 16],
  ['636', 19],
  ['9704', 16],
  ['9704', 19],
  ['9111', 16],
  ['30', 14],
  ['39', 14],
  ['22', 16],
  ['7', 16],
];
const cardWords: readonly (readonly [before: string, after: string])[] = [
  ['card ', ''],
  ['card number: ', ''],
  ['my credit card number is ', ''],
  ['Visa ', ''],
  ['Kreditkarte: ', ''],
  ['Please block my debit card, it is ', ''],
  ['increase the limit on my card # ', ''],
  ['"cardNumber":"', ''],
  ['credit_card=', ''],
  ['tarjeta ', ''],
  ['the card I lost was ', ''],
  ['', ' is my card'],
  ['', ' (Maestro)'],
  ['', ' is the credit card on file'],
  ['carte n° ', ''],
  ['Diners ', ''],
];

/** Digits with the one that makes the sum of ISO/IEC 7812 come out. */
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

/**
 * Mobile and fixed lines of more than forty countries: with a country code, then as the country prints them; `~` is what parts
 * groups. Some numbers of a few digits are telephone numbers only where the text says so.
 */
const plans: readonly (readonly [international: string, national: string])[] = [
  ['+1~415~¹##~####', '(415)~¹##~####'],
  ['+1~212~¹##~####', '212-¹##-####'],
  ['+1~604~¹##~####', '1-604-¹##-####'],
  ['+44~20~7¹##~####', '020~7¹##~####'],
  ['+44~7911~######', '07911~######'],
  ['+44~161~496~####', '0161~496~####'],
  ['+49~30~¹#######', '030/¹#######'],
  ['+49~151~1#######', '0151~1#######'],
  ['+49~89~¹##~##~##', '089~¹##~##~##'],
  ['+33~6~12~##~##~##', '06~12~##~##~##'],
  ['+33~1~42~##~##~##', '01~42~##~##~##'],
  ['+34~612~##~##~##', '612~##~##~##'],
  ['+34~612~###~###', '612~###~###'],
  ['+39~347~###~####', '347~###~####'],
  ['+351~912~###~###', '912~###~###'],
  ['+31~6~12######', '06-12######'],
  ['+32~470~##~##~##', '0470~##~##~##'],
  ['+41~44~668~##~##', '044~668~##~##'],
  ['+43~664~1######', '0664~1######'],
  ['+46~70~123~##~##', '070-123~##~##'],
  ['+47~406~##~###', '406~##~###'],
  ['+47~40~61~##~##', '40~61~##~##'],
  ['+45~20~12~##~##', '20~12~##~##'],
  ['+358~41~2######', '041~2######'],
  ['+353~85~012~####', '085~012~####'],
  ['+354~611~1###', '611~1###'],
  ['+48~601~###~###', '601~###~###'],
  ['+420~601~###~###', '601~###~###'],
  ['+421~912~123~###', '0912~123~###'],
  ['+36~20~123~####', '06~20~123~####'],
  ['+40~712~034~###', '0712~034~###'],
  ['+30~691~234~####', '691~234~####'],
  ['+90~532~234~##~##', '0532~234~##~##'],
  ['+380~50~123~####', '050~123~####'],
  ['+7~495~123-##-##', '8~(495)~123-##-##'],
  ['+372~5123~####', '5123~####'],
  ['+371~21~234~###', '21~234~###'],
  ['+370~612~34###', '8-612~34###'],
  ['+385~92~123~####', '092~123~####'],
  ['+61~412~###~###', '0412~###~###'],
  ['+61~2~9374~####', '(02)~9374~####'],
  ['+64~21~123~####', '021~123~####'],
  ['+81~90~¹###~####', '090-¹###-####'],
  ['+81~3~3###~####', '03-3###-####'],
  ['+86~138~0013~####', '138~0013~####'],
  ['+91~98765~#####', '098765~#####'],
  ['+92~301~2######', '0301~2######'],
  ['+880~1812~######', '01812-######'],
  ['+94~71~234~####', '071~234~####'],
  ['+55~11~91###~####', '(11)~91###-####'],
  ['+52~55~5###~####', '55~5###~####'],
  ['+54~9~11~2345~####', '011~15-2345-####'],
  ['+56~2~2123~####', '(2)~2123~####'],
  ['+57~321~123####', '321~123####'],
  ['+51~912~345~###', '912~345~###'],
  ['+27~82~123~####', '082~123~####'],
  ['+20~10~0123####', '010~0123####'],
  ['+234~802~123~####', '0802~123~####'],
  ['+254~712~123###', '0712~123###'],
  ['+212~650~12####', '06~50~12~##~##'],
  ['+65~9123~####', '9123~####'],
  ['+852~5123~####', '5123~####'],
  ['+886~912~345~###', '0912~345~###'],
  ['+60~12~345~####', '012-345~####'],
  ['+62~812~345~###', '0812-345-###'],
  ['+66~81~234~####', '081~234~####'],
  ['+84~912~345~###', '0912~345~###'],
  ['+63~905~123~####', '0905~123~####'],
  ['+971~50~123~####', '050~123~####'],
  ['+966~51~234~####', '051~234~####'],
  ['+972~52~123~####', '052-123-####'],
  ['+82~10~¹###~####', '010-¹###-####'],
];
/** Without area codes, or in groups that amounts have as well: a telephone number only where the text says so. */
const bare = /^(?:611~1|21~|8-612)/;

/** Local numbers without an area, as people give them within one. */
const local = ['468~####', '9822~####', '555-####', '7###-####', '234~##~##'];

const phone: Maker = ({ one, fill }) => {
  const [international, national] = one(plans);
  const saysSo = one([
    'Tel.: ',
    'phone ',
    'call me at ',
    'mobile: ',
    'Telefon ',
    'WhatsApp ',
    '"phone":"',
    'tél. ',
    '📞 ',
    'You can call ',
    'my number is ',
  ]);
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

/** Country, account as the country forms it (`A` is a capital). */
const accounts: readonly (readonly [country: string, account: string])[] = [
  ['DE', '##################'],
  ['GB', 'WEST##############'],
  ['FR', '##########²²²²²²²²²²²##'],
  ['NL', 'ABNA##########'],
  ['ES', '####################'],
  ['IT', 'L######################'],
  ['CH', '#################'],
  ['AT', '################'],
  ['PL', '########################'],
  ['NO', '###########'],
  ['BE', '############'],
  ['MT', 'MALT#####²²²²²²²²²²²²²²²²²²'],
  ['SA', '##²²²²²²²²²²²²²²²²²²'],
];

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

/** What stands before a NUL, and behind U+0001, says what stands between and is no part of it. */
export const makers: Readonly<Record<PiiEntity, Maker>> = {
  email,
  ssn,
  credit_card: creditCard,
  phone,
  iban,
  ip,
  api_key: apiKey,
};
