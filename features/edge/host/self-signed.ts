/**
 * A self-signed certificate for a TLS server (RFC 5280), written as DER. A certificate library would add 210 modules, a
 * fifth of all modules loaded at startup.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

interface SelfSigned {
  /** Common name of both the subject and the issuer. */
  readonly name: string;
  /** Host names and addresses for which the certificate is valid. */
  readonly names: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Creates the certificate, using ECDSA over P-256 with SHA-256. Both results are PEM. */
export function selfSigned({ name, names, notBefore, notAfter }: SelfSigned): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const named = sequence(derSet(sequence(oid(commonName), textDer(utf8String, name))));
  const signed = sequence(
    taggedDer(0, integer(Buffer.of(2))), // version 3
    integer(serialNumber()),
    sequence(oid(ecdsaWithSha256)),
    named,
    sequence(time(notBefore), time(notAfter)),
    named,
    publicKey.export({ type: 'spki', format: 'der' }),
    taggedDer(3, sequence(...extensions(names))),
  );
  const signature = sign('sha256', signed, privateKey);
  const certificate = sequence(signed, sequence(oid(ecdsaWithSha256)), bits(signature));
  return { cert: pem(certificate), key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

const commonName = [0x55, 0x04, 0x03];
const ecdsaWithSha256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const basicConstraints = [0x55, 0x1d, 0x13];
const keyUsage = [0x55, 0x1d, 0x0f];
const extendedKeyUsage = [0x55, 0x1d, 0x25];
const serverAuthentication = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01];
const subjectAlternativeName = [0x55, 0x1d, 0x11];

/** Returns the extensions: the certificate is not a CA, and may sign a server's handshakes. */
const extensions = (names: readonly string[]): Buffer[] => [
  extension(basicConstraints, sequence()),
  extension(keyUsage, der(bitString, Buffer.of(7, 0x80))),
  extension(extendedKeyUsage, sequence(oid(serverAuthentication))),
  extension(subjectAlternativeName, sequence(...names.map(alternativeName))),
];

const extension = (id: readonly number[], value: Buffer): Buffer => sequence(oid(id), der(octetString, value));

const alternativeName = (name: string): Buffer =>
  isIP(name) ? der(0x87, addressBytes(name)) : der(0x82, Buffer.from(name, 'latin1'));

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [withoutZone = ''] = address.split('%');
  const [head = '', tail] = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** Returns a positive serial number without a leading zero. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x3f) | 0x40;
  return bytes;
}

const octetString = 0x04;
const bitString = 0x03;
const utf8String = 0x0c;
const utcTime = 0x17;
const generalizedTime = 0x18;

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, Buffer.concat(parts));
const derSet = (...parts: readonly Buffer[]): Buffer => der(0x31, Buffer.concat(parts));
const taggedDer = (number: number, value: Buffer): Buffer => der(0xa0 + number, value);
const integer = (bytes: Buffer): Buffer => der(0x02, bytes);
const oid = (bytes: readonly number[]): Buffer => der(0x06, Buffer.from(bytes));
const bits = (value: Buffer): Buffer => der(bitString, Buffer.concat([Buffer.of(0), value]));
const textDer = (tag: number, value: string): Buffer => der(tag, Buffer.from(value));

/** Encodes a time. Years from 2050 onwards have four digits. */
function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/\.\d+|[-:T]/g, '');
  return date.getUTCFullYear() < 2050 ? textDer(utcTime, digits.slice(2)) : textDer(generalizedTime, digits);
}

function der(tag: number, value: Buffer): Buffer {
  const { length } = value;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), value]);
  const size = length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff);
  return Buffer.concat([Buffer.of(tag), size, value]);
}

const pem = (bytes: Buffer): string => {
  const lines = bytes.toString('base64').match(/.{1,64}/g)!;
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
};
