import { archiveBucket } from '#adapters/aws/archive-bucket.ts';
import { checkpointBucket } from '#adapters/aws/checkpoint-bucket.ts';
import { lazyKmsSigner } from '#adapters/aws/kms-signer.ts';
import { eventHandler } from '../aws.ts';
import { createHandler } from './event.ts';

export const handler = await eventHandler(createHandler, {
  signer: (keyId, former) => lazyKmsSigner(keyId, {}, former),
  kept: ({ bucket, signer, clock }) => ({
    archived: archiveBucket({ bucket }),
    checkpoints: checkpointBucket({ bucket, signer, clock }),
  }),
});
