import { lazyKmsSigner } from '#adapters/aws/kms-signer.ts';
import { httpHandler } from '../aws.ts';
import { createHandler } from './http.ts';

/** Documents are signed with the evidence key, so that pinning one key verifies both. */
export const handler = await httpHandler(createHandler, {
  signer: (keyId, former) => lazyKmsSigner(keyId, {}, former),
});
