/** secrets-guard: what is flagged with which words, and the harmless neighbour of each. */
import { type Flag, pluginNamed } from '../../corpora/plugins/module.ts';

let flag: Flag;
beforeAll(async () => {
  flag = await pluginNamed('secrets-guard');
});

/** `zQWBu…` with its CRC-32 in base 62. */
const github = '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';
const twoParts = (header: string) =>
  `${Buffer.from(header).toString('base64url')}.${Buffer.from('{"sub":"1234"}').toString('base64url')}.`;
const jwt = twoParts('{"alg":"RS256"}');
const signature = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const body = 'MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoGCCqGSM49';

test.each<[string, string, string]>([
  ['a GitHub token', github, 'a GitHub token whose checksum holds'],
  ['a JSON Web Token', jwt + signature, 'a JSON Web Token'],
  ['a private key', `-----BEGIN EC PRIVATE KEY-----\n${body}\n-----END EC PRIVATE KEY-----`, 'a private key'],
  ['a private key in JSON', `{"key":"-----BEGIN PRIVATE KEY-----\\n${body}\\n"}`, 'a private key'],
  ['an AWS key id', 'AKIA2OGYBAH6STMM3PQR', 'an AWS access key id'],
  ['a key after an equals sign', 'KEY=AKIA2OGYBAH6STMM3PQR&x=1', 'an AWS access key id'],
  ['a key between letters of other alphabets', 'ключAKIA2OGYBAH6STMM3PQRключ', 'an AWS access key id'],
])('[plugin.secrets-guard] %s is flagged, and the message does not repeat it', (_what, text, kind) => {
  expect(flag(`The file says ${text} and more.`)).toBe(`the text contains ${kind}`);
});

test.each<[string, string]>([
  ['a GitHub token with one letter changed', github.replace('zQ', 'zR')],
  ['a token that goes on', `${github}x`],
  ['the key id of the documentation of AWS', 'AKIAIOSFODNN7EXAMPLE'],
  ['a key id inside of a longer word', 'XAKIA2OGYBAH6STMM3PQR'],
  ['a JSON Web Token without its signature', jwt],
  ['three parts whose header names no algorithm', twoParts('{"abc":"RS256"}') + signature],
  ['the header of a private key alone', '-----BEGIN EC PRIVATE KEY-----'],
  ['a certificate', `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----`],
  ['a text that ends in the middle of a prefix', 'ghp_'],
  ['nothing', ''],
])('[plugin.secrets-guard] %s passes', (_what, text) => {
  expect(flag(text)).toBeUndefined();
});

test('[plugin.secrets-guard] the last byte of a text of a megabyte is looked at', () => {
  expect(flag(`${'word '.repeat(200_000)}${github}`)).toBe('the text contains a GitHub token whose checksum holds');
});
