import { archiveBucket } from '#adapters/aws/archive-bucket.ts';
import { checkpointBucket } from '#adapters/aws/checkpoint-bucket.ts';
import { lazyKmsSigner } from '#adapters/aws/kms-signer.ts';
import { checkpointEntries } from '#core/evidence/checkpointer.ts';
import { httpHandler } from '../aws.ts';
import { awsLog } from '../aws-log.ts';
import { createHandler } from './http.ts';

export const handler = await httpHandler(createHandler, {
  signer: (keyId, former) => lazyKmsSigner(keyId, {}, former),
  kept: ({ bucket, signer, clock, telemetry, store, logKeys }) => {
    const archive = archiveBucket({ bucket });
    const checkpoints = checkpointBucket({ bucket, signer, clock });
    const log = logKeys ? awsLog({ keys: logKeys, bucket, store }) : undefined;
    const cover = (entries: Parameters<typeof checkpointEntries>[1]) =>
      checkpointEntries({ checkpoints, archive, log, telemetry }, entries);
    return { archived: archive, checkpoints, archiving: { archive, cover } };
  },
});
