/** A software authenticator: creates P-256 passkeys and signs with them, correctly or incorrectly on demand. */
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';

const sha = (data: string | Uint8Array) => createHash('sha256').update(data).digest();
const url = (data: string | Uint8Array) => Buffer.from(data).toString('base64url');

/**
 * The subset of CBOR that an attestation needs: keys are strings or small numbers, values are strings, bytes, small
 * numbers or maps.
 */
type Cbor = number | string | Uint8Array | Map<number | string, Cbor>;
function head(type: number, size: number): Buffer {
  if (size < 24) return Buffer.of((type << 5) | size);
  return size < 256 ? Buffer.of((type << 5) | 24, size) : Buffer.of((type << 5) | 25, size >> 8, size & 0xff);
}
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, member]) => [cbor(key), cbor(member)])]);
  return Buffer.concat([head(2, value.length), value]);
}

export interface Page {
  readonly id: string;
  readonly origin: string;
}

export interface Twist {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  /** Flags of the authenticator data: 0x01 present, 0x04 verified. */
  readonly flags?: number;
  readonly count?: number;
}

export function authenticator() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(16);
  let count = 0;
  const client = (type: string, challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const data = (rpId: string, flags: number, counted: number) => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(counted);
    return Buffer.concat([sha(rpId), Buffer.of(flags), counter]);
  };
  return {
    id: url(id),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    register(challenge: string, page: Page, { origin = page.origin, rpId = page.id, flags = 0x05 }: Twist = {}) {
      const cose = cbor(
        new Map<number, Cbor>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, Buffer.from(x, 'base64url')],
          [-3, Buffer.from(y, 'base64url')],
        ]),
      );
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.of(0, id.length), id, cose]);
      const authData = Buffer.concat([data(rpId, flags | 0x40, count), attested]);
      const attestation = new Map<string, Cbor>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]);
      return {
        credential_id: url(id),
        client_data_json: url(client('webauthn.create', challenge, origin)),
        attestation_object: url(cbor(attestation)),
      };
    },
    sign(challenge: string, page: Page, twist: Twist = {}) {
      const { origin = page.origin, rpId = page.id, type = 'webauthn.get', flags = 0x05 } = twist;
      count = twist.count ?? count + 1;
      const [clientData, authData] = [client(type, challenge, origin), data(rpId, flags, count)];
      const signature = createSign('sha256').update(authData).update(sha(clientData)).sign(privateKey);
      return {
        credential_id: url(id),
        authenticator_data: url(authData),
        client_data_json: url(clientData),
        signature: url(signature),
      };
    },
  };
}
