/** Text with generated credentials, and text that only looks similar: examples, wrong checksums, other identifiers. */

import * as z from 'zod';
import { readCases } from '../../support/yaml.ts';
import { type Random, seeded } from '../personal-data/random.ts';
import { type Row, rowsFrom } from './measure.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz';
const alphabet = `0123456789${letters.toUpperCase()}${letters}`;
const url64 = `${alphabet}-_`;
const base64 = `${alphabet}+/`;

const draw = ({ one }: Random, signs: string, size: number): string =>
  Array.from({ length: size }, () => one([...signs])).join('');

/** Table for a CRC-32 that is implemented differently from the plugin's. */
const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) crc = (crc >>> 8) ^ table[(crc ^ byte) & 0xff]!;
  return (crc ^ 0xffffffff) >>> 0;
}
function base62(value: number): string {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = alphabet[rest % 62] + text;
  return text.padStart(6, '0');
}
function checked(random: Random, prefix: string): string {
  const part = draw(random, alphabet, 30);
  return `${prefix}${part}${base62(crc32(part))}`;
}
function uncheckedToken(random: Random, prefix: string): string {
  const part = draw(random, alphabet, 30);
  return `${prefix}${part}${base62((crc32(part) + 1) >>> 0)}`;
}

const json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (random: Random): string => {
  const header = { alg: random.one(['RS256', 'ES256', 'HS256', 'EdDSA']), typ: 'JWT' };
  const claims = { sub: random.fill('########'), iss: 'https://id.example.org', exp: random.number(1.7e9, 1.9e9) };
  return `${json(header)}.${json(claims)}.${draw(random, url64, random.one([43, 86]))}`;
};
const pem = (random: Random, label: string, lines: number, end = '\n'): string => {
  const body = Array.from({ length: lines }, () => draw(random, base64, 64)).join(end);
  return `-----BEGIN ${label}-----${end}${body}${end}-----END ${label}-----`;
};
const openSsh = (random: Random): string => {
  const head = Buffer.concat([Buffer.from('openssh-key-v1\0'), Buffer.from([0, 0, 0, 4]), Buffer.from('none')]);
  const body = Buffer.concat([head, Buffer.alloc(24), Buffer.from(draw(random, url64, 200))]).toString('base64');
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${body.match(/.{1,70}/g)!.join('\n')}\n-----END OPENSSH PRIVATE KEY-----`;
};
/** Secrets by kind. */
const secrets: Readonly<Record<string, (random: Random) => string>> = {
  'AWS access key id': (random) => random.one(['AKIA', 'ASIA']) + draw(random, `${letters.toUpperCase()}234567`, 16),
  'GitHub token': (random) => checked(random, random.one(['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'])),
  'fine-grained GitHub token': (random) => `github_pat_${draw(random, alphabet, 22)}_${draw(random, alphabet, 59)}`,
  'npm token': (random) => checked(random, 'npm_'),
  'Stripe key': (random) =>
    random.one(['sk_live_', 'rk_live_', 'whsec_']) + draw(random, alphabet, random.one([24, 32, 99])),
  'Slack token': (random) =>
    random.one([
      `xoxb-${random.fill('############')}-${random.fill('#############')}-${draw(random, alphabet, 24)}`,
      `xoxp-${random.fill('###########')}-${random.fill('###########')}-${random.fill('############')}-${draw(random, '0123456789abcdef', 32)}`,
    ]),
  'Slack webhook': (random) =>
    `https://hooks.slack.com/services/T${random.fill('²²²²²²²²²')}/B${random.fill('²²²²²²²²²²')}/${draw(random, alphabet, 24)}`,
  'JSON Web Token': jwt,
  'private key': (random) =>
    random.one([
      () => pem(random, 'RSA PRIVATE KEY', 12),
      () => pem(random, 'PRIVATE KEY', 3),
      () => pem(random, 'EC PRIVATE KEY', 2, '\\n'),
      () => openSsh(random),
    ])(),
  'API key': (random) =>
    random.one([
      () => `AIza${draw(random, url64, 35)}`,
      () => `glpat-${draw(random, alphabet, 20)}`,
      () => `sk-ant-api03-${draw(random, url64, 93)}AA`,
      () => `sk-${draw(random, alphabet, 20)}T3BlbkFJ${draw(random, alphabet, 20)}`,
    ])(),
  'private key of PGP': (random) =>
    `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${draw(random, base64, 64)}\n${draw(random, base64, 64)}\n-----END PGP PRIVATE KEY BLOCK-----`,
  'app token of Slack': (random) =>
    `xapp-1-A${random.fill('²²²²²²²²²²')}-${random.fill('#############')}-${draw(random, '0123456789abcdef', 64)}`,
};

/** Contexts of the secrets. The last third is held out. */
const list = z.array(z.string());
const { places, ...texts } = readCases(
  'test/corpora/plugins/secrets.yaml',
  z.strictObject({ places: list, exampleKeys: list, headers: list, words: list, documentation: list }),
);

/** Values in the same contexts that are not secrets. The last third of each is held out. */
const lookAlikes: Readonly<Record<string, (random: Random) => string>> = {
  'example of a key': (random) => random.one(texts.exampleKeys),
  'checksum that does not hold': (random) => uncheckedToken(random, random.one(['ghp_', 'gho_', 'npm_', 'ghs_'])),
  'public or test key': (random) => random.one(['pk_live_', 'pk_test_', 'sk_test_']) + draw(random, alphabet, 24),
  'certificate or public key': (random) =>
    pem(random, random.one(['CERTIFICATE', 'PUBLIC KEY', 'CERTIFICATE REQUEST']), 6),
  'header of a key without its body': (random) => random.one(texts.headers),
  'digest or identifier': (random) =>
    random.one([
      () => draw(random, '0123456789abcdef', 40),
      () => draw(random, '0123456789abcdef', 64),
      () => random.fill('⁴⁴⁴⁴⁴⁴⁴⁴-⁴⁴⁴⁴-4⁴⁴⁴-8⁴⁴⁴-⁴⁴⁴⁴⁴⁴⁴⁴⁴⁴⁴⁴'),
      () => `sha512-${draw(random, base64, 86)}==`,
      () => `cus_${draw(random, alphabet, 14)}`,
      () => `arn:aws:iam::${random.fill('############')}:role/deploy`,
    ])(),
  'base64 of JSON that is not a token': (random) =>
    random.one([
      () => json({ page: random.number(1, 999), sort: 'created_at', order: 'descending' }),
      () => `${json({ v: 1 })}.${json({ cursor: random.fill('########') })}.${random.fill('########')}`,
      () => `eyJ${draw(random, url64, 40)}.${draw(random, url64, 40)}.${draw(random, url64, 43)}`,
    ])(),
  'everyday word': (random) => random.one(texts.words),
};

/** Forms that were not used to develop the plugin, all of them held out. */
const otherSecrets: Readonly<Record<string, (random: Random) => string>> = {
  'encrypted private key': (random) => pem(random, 'ENCRYPTED PRIVATE KEY', 4, '\r\n'),
  'private key with headers': (random) =>
    `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${draw(random, '0123456789ABCDEF', 32)}\n\n${draw(random, base64, 64)}\n${draw(random, base64, 64)}\n-----END RSA PRIVATE KEY-----`,
  'private key indented in YAML': (random) => pem(random, 'PRIVATE KEY', 4, '\n    '),
  'token in an address': (random) => `https://x-access-token:${checked(random, 'ghs_')}@github.com/acme/web.git`,
  'key in a query': (random) => `https://maps.example.org/api/js?key=AIza${draw(random, url64, 35)}&v=3`,
  'JSON Web Token with a key id': (random) =>
    `${json({ kid: random.fill('⁴⁴⁴⁴⁴⁴⁴⁴'), typ: 'at+jwt', alg: 'PS256' })}.${json({ roles: ['admin'], tenant: random.fill('####') })}.${draw(random, url64, 342)}`,
  'project key of OpenAI': (random) => `sk-proj-${draw(random, url64, 74)}T3BlbkFJ${draw(random, url64, 74)}`,
  'key id behind a quote': (random) => `aws_access_key_id="AKIA${draw(random, `${letters.toUpperCase()}234567`, 16)}"`,
  'token behind an escape': (random) => `\\"npmToken\\":\\"${checked(random, 'npm_')}\\"`,
  'secret of a test webhook': (random) => `STRIPE_WEBHOOK=whsec_${draw(random, '0123456789abcdef', 64)}`,
};
const otherLookAlikes: Readonly<Record<string, (random: Random) => string>> = {
  'name of a variable': (random) =>
    random.one([
      'sk_live_$' + '{STRIPE_SECRET}',
      '$SLACK_TOKEN',
      `AKIA${'*'.repeat(16)}`,
      'ghp_<token>',
      '{{ npm_token }}',
    ]),
  'shortened token': (random) =>
    random.one([
      `eyJhbGciOiJSUzI1NiJ9.${draw(random, url64, 12)}...`,
      `ghp_${draw(random, alphabet, 4)}…`,
      'xoxb-1234-…',
    ]),
  'picture in base 64': (random) => `data:image/png;base64,iVBORw0KGgo${draw(random, base64, 300)}=`,
  'public key of PGP': (random) =>
    `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${draw(random, base64, 64)}\n-----END PGP PUBLIC KEY BLOCK-----`,
  'lines of a lock file': (random) =>
    `resolved "https://registry.npmjs.org/npm_modules/-/x-1.0.${random.fill('#')}.tgz#${draw(random, '0123456789abcdef', 40)}"`,
  'address of an image': (random) => `ghcr.io/acme/web@sha256:${draw(random, '0123456789abcdef', 64)}`,
  'documentation of a key': (random) => random.one(texts.documentation),
  'signed cookie': (random) => `session=s%3A${draw(random, url64, 32)}.${draw(random, base64, 43)}`,
};

export function secretRows(each = 4): Row[] {
  const random = seeded(20261124);
  const rows = (kinds: typeof secrets, wanted: boolean) =>
    Object.entries(kinds).flatMap(([kind, make]) =>
      rowsFrom(kind, wanted, places, each, (template) => template.replace('{}', () => make(random))),
    );
  const heldOut = (kinds: typeof secrets, wanted: boolean) =>
    rows(kinds, wanted).map((row) => ({ ...row, heldOut: true }));
  return [
    ...rows(secrets, true),
    ...rows(lookAlikes, false),
    ...heldOut(otherSecrets, true),
    ...heldOut(otherLookAlikes, false),
  ];
}
