/** Signs the log's checkpoints (Ed25519) with KMS keys. */
import type { KeyObject } from 'node:crypto';
import type { KMSClientConfig } from '@aws-sdk/client-kms';
import { connection, fetchKey, type Kms, refuseSigning, requireBytes } from '#adapters/aws/kms-signer.ts';
import { type LogSigner, logKeyOf } from '#core/evidence/transparency/note.ts';

/**
 * Signs for the tenants' transparency logs with one Ed25519 KMS key, under each log's name. With Ed25519, KMS signs the
 * message itself, up to 4 kB; a checkpoint is shorter.
 */
export function kmsLogSigner(
  { keyId, former, overlaps }: LogKeyIds,
  config: KMSClientConfig = {},
): (tenant: string) => Promise<LogSigner> {
  const kms = connection(config);
  const publicKeys = new Map<string, Promise<KeyObject>>();
  return async (tenant) => {
    const ids = [keyId, ...former.toReversed()];
    const keys = await Promise.all(ids.map(publicKeyOf));
    const [current, ...before] = ids.map(
      (id, at): LogSigner => ({
        ...logKeyOf(keys[at]!, tenant, keys.at(-1)),
        sign: async (message) => logSignature(await kms(), id, message),
      }),
    );
    const beside = overlaps ? before.shift() : undefined;
    return { ...current!, ...(beside && { beside }), ...(before.length > 0 && { former: before }) };
  };

  function publicKeyOf(id: string): Promise<KeyObject> {
    const known = publicKeys.get(id);
    if (known) return known;
    const fetched = kms()
      .then((connected) => fetchKey(connected, id))
      .catch((error: unknown) => {
        publicKeys.delete(id);
        throw error;
      });
    publicKeys.set(id, fetched);
    return fetched;
  }
}

/** A log's KMS keys [transparency.log]. */
interface LogKeyIds {
  readonly keyId: string;
  /** Ids or ARNs of the earlier keys, oldest first. The first one names the log. */
  readonly former: readonly string[];
  /** True while the previous key signs checkpoints in addition to the current key. */
  readonly overlaps: boolean;
}

/** Returns the log keys from the function's environment, or undefined if there is no log. */
export function logKeyIds({
  LOG_KEY_ID,
  LOG_KEY_FORMER_IDS = '',
  LOG_KEY_OVERLAP,
}: NodeJS.ProcessEnv): LogKeyIds | undefined {
  if (!LOG_KEY_ID) return undefined;
  return {
    keyId: LOG_KEY_ID,
    former: LOG_KEY_FORMER_IDS.split(',').filter((id) => id !== ''),
    overlaps: LOG_KEY_OVERLAP === 'on',
  };
}

async function logSignature({ client, SignCommand }: Kms, KeyId: string, Message: Uint8Array): Promise<Uint8Array> {
  const request = new SignCommand({ KeyId, Message, MessageType: 'RAW', SigningAlgorithm: 'ED25519_SHA_512' });
  const { Signature } = await client.send(request).catch(refuseSigning);
  return requireBytes(Signature);
}
