import { archiveBucket } from '#adapters/aws/archive-bucket.ts';
import { checkpointBucket } from '#adapters/aws/checkpoint-bucket.ts';
import { kmsLogSigner, lazyKmsSigner } from '#adapters/aws/kms-signer.ts';
import { logBucket } from '#adapters/aws/log-bucket.ts';
import { logTable } from '#adapters/dynamodb/log-table.ts';
import { LogReader } from '#core/transparency/log-reader.ts';
import { compose } from '../aws.ts';
import { streamingHandler } from '../aws-stream.ts';
import { createHandler } from './http.ts';

/** Streamed: an export has no largest size, and the verification of a long session takes longer than 29 s. */
export const handler = await streamingHandler(() => {
  const ports = compose(process.env, {
    signer: (keyId, former) => lazyKmsSigner(keyId, {}, former),
    kept: ({ bucket, signer, clock, store, logKeyId }) => ({
      archived: archiveBucket({ bucket }),
      checkpoints: checkpointBucket({ bucket, signer, clock }),
      ...(logKeyId && {
        transparency: new LogReader({
          ...{ heads: logTable(store), objects: logBucket({ bucket }), signer: kmsLogSigner(logKeyId) },
        }),
      }),
    }),
  });
  return { ports, handler: createHandler(ports) };
});
