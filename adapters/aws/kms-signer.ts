/** Signs session manifests (ECDSA P-256 over SHA-256) with KMS keys, whose private halves never leave KMS. */
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import type { KMSClient, KMSClientConfig } from '@aws-sdk/client-kms';
import { systemClock } from '#adapters/system/clock.ts';
import type { KeySuccession } from '#core/contracts/evidence.ts';
import type { Signer } from '#core/evidence/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { clientBounds } from './client-bounds.ts';

/** The KMS SDK with a connected client. */
export type Kms = typeof import('./sdk/kms.ts') & { readonly client: KMSClient };

/** Signs with a KMS key. The client is loaded on the first signature, because most handler calls sign nothing. */
export function lazyKmsSigner(
  keyId: string,
  config: KMSClientConfig = {},
  /** Ids or ARNs of earlier signing keys. */
  former: readonly string[] = [],
  /** Those earlier keys, oldest first, that this function may use to sign a statement naming the next key. */
  linked: readonly string[] = [],
): Signer {
  const kms = connection(config);
  const pems = new Map<string, Promise<string>>();
  let successions: Promise<KeySuccession[]> | undefined;
  return {
    keyId,
    async sign(message) {
      return signature(await kms(), keyId, message);
    },
    publicKey: () => pemOf(keyId),
    async keys() {
      const keys = [keyId, ...former].map(async (id) => ({ key_id: signedAs(id), public_key: await pemOf(id) }));
      successions ??= Promise.all([...linked, keyId].slice(1).map(linkTo)).then((all) => all.flat());
      return { keys: await Promise.all(keys), successions: await successions };
    },
  };

  /**
   * Signs, with both keys, a statement that one follows the other. A disabled key cannot sign, so its statement is left
   * out.
   */
  async function linkTo(next: string, at: number): Promise<KeySuccession[]> {
    const signerOf = (id: string) => ({
      keyId: signedAs(id),
      sign: async (message: Uint8Array) => signature(await kms(), id, message),
      publicKey: () => pemOf(id),
    });
    try {
      // The module also reads statements, using a schema, which only a rotated key needs.
      const { signSuccession } = await import('#core/evidence/key-succession.ts');
      return [await signSuccession(signerOf(linked[at]!), signerOf(next), new Date(systemClock.now()).toISOString())];
    } catch {
      successions = undefined;
      return [];
    }
  }

  /** Returns a key's public half, which never changes. A failed fetch is not cached. */
  function pemOf(id: string): Promise<string> {
    const known = pems.get(id);
    if (known) return known;
    const fetched = kms()
      .then((connected) => fetchPem(connected, id))
      .catch((error: unknown) => {
        pems.delete(id);
        throw error;
      });
    pems.set(id, fetched);
    return fetched;
  }
}

/** Returns the key id that signatures name: the last part of an ARN. */
const signedAs = (id: string): string => id.slice(id.lastIndexOf('/') + 1);

/** Returns the ids of earlier keys, read from one of the function's environment variables. */
export const formerKeyIds = (
  environment: NodeJS.ProcessEnv,
  name: 'SIGNING_KEY_FORMER_IDS' | 'SIGNING_KEY_LINKED_IDS' | 'VOTE_KEY_FORMER_IDS' = 'SIGNING_KEY_FORMER_IDS',
): string[] => (environment[name] ?? '').split(',').filter((id) => id !== '');

/** Connects once, on first use. */
export function connection(config: KMSClientConfig): () => Promise<Kms> {
  let connected: Promise<Kms> | undefined;
  return () => {
    connected ??= connect(config);
    return connected;
  };
}

async function connect(config: KMSClientConfig): Promise<Kms> {
  const sdk = await import('./sdk/kms.ts');
  return { ...sdk, client: new sdk.KMSClient({ ...clientBounds(), ...config }) };
}

async function signature({ client, SignCommand }: Kms, keyId: string, message: Uint8Array): Promise<string> {
  const request = new SignCommand({
    KeyId: keyId,
    // Hashed here because KMS accepts at most 4 kB of raw message and a manifest may be longer.
    Message: createHash('sha256').update(message).digest(),
    MessageType: 'DIGEST',
    SigningAlgorithm: 'ECDSA_SHA_256',
  });
  const { Signature } = await client.send(request).catch(refuseSigning);
  return Buffer.from(requireBytes(Signature)).toString('base64');
}

/** Fetches the public half of a key. */
export async function fetchKey({ client, GetPublicKeyCommand }: Kms, keyId: string): Promise<KeyObject> {
  const { PublicKey } = await client.send(new GetPublicKeyCommand({ KeyId: keyId })).catch(refuseSigning);
  return createPublicKey({ key: Buffer.from(requireBytes(PublicKey)), format: 'der', type: 'spki' });
}

const fetchPem = async (kms: Kms, keyId: string): Promise<string> =>
  (await fetchKey(kms, keyId)).export({ format: 'pem', type: 'spki' }).toString();

/** Returns the bytes of a response. @throws GatewayError if it contains none. */
export const requireBytes = (bytes: Uint8Array | undefined): Uint8Array =>
  bytes ?? refuseSigning(new Error('KMS returned no bytes'));

/** Rejects the call if signing fails (fail closed). */
export function refuseSigning(cause: unknown): never {
  throw new GatewayError(
    'service_unavailable',
    'The signing service did not respond; nothing was signed. Try again shortly.',
    {
      cause,
      retryAfterSeconds: 1,
    },
  );
}
