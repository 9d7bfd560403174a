import { archiveBucket } from '#adapters/aws/archive-bucket.ts';
import { checkpointBucket } from '#adapters/aws/checkpoint-bucket.ts';
import { lazyKmsSigner } from '#adapters/aws/kms-signer.ts';
import { compose } from '../aws.ts';
import { awsLogReader } from '../aws-log.ts';
import { streamingHandler } from '../aws-stream.ts';
import { createHandler } from './http.ts';

/** Streamed, because exports have no size limit, and verifying a long session takes more than 29 s. */
export const handler = await streamingHandler(() => {
  const ports = compose(process.env, {
    signer: (keyId, former) => lazyKmsSigner(keyId, {}, former),
    kept: ({ bucket, signer, clock, store, logKeys }) => ({
      archived: archiveBucket({ bucket }),
      checkpoints: checkpointBucket({ bucket, signer, clock }),
      ...(logKeys && {
        transparency: awsLogReader({ keys: logKeys, bucket, store }),
      }),
    }),
  });
  return { ports, handler: createHandler(ports) };
});
