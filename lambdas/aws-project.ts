/** The projector's ports on AWS: its only access to the evidence table is the table's stream. */
import { S3Client } from '@aws-sdk/client-s3';
import { archiveBucket } from '#adapters/aws/archive-bucket.ts';
import { checkpointBucket } from '#adapters/aws/checkpoint-bucket.ts';
import { clientBounds, objectBounds } from '#adapters/aws/client-bounds.ts';
import { dynamoClient } from '#adapters/aws/dynamodb/client.ts';
import { dynamoStore } from '#adapters/aws/dynamodb/store.ts';
import { formerKeyIds, lazyKmsSigner } from '#adapters/aws/kms-signer.ts';
import { systemClock } from '#adapters/system/clock.ts';
import { systemIds } from '#adapters/system/ids.ts';
import { chainQueue } from '#adapters/tables/chain-queue.ts';
import { deliveriesTable } from '#adapters/tables/deliveries-table.ts';
import { observationsTable } from '#adapters/tables/observations-table.ts';
import { contradictionRows, setAsideRows } from '#adapters/tables/set-aside-rows.ts';
import { logTelemetry } from '#adapters/telemetry/telemetry.ts';
import { announceViolations } from '#core/approvals/notifications/policy-events.ts';
import { type TableName, tableEnvironment } from '#core/contracts/tables.ts';
import { checkedStretches, checkpointStretches } from '#core/evidence/checkpointer.ts';
import { projectEntry } from '#core/observatory/project.ts';
import type { AwsLogs } from '#features/aws-logs.ts';
import * as logs from '#features/aws-logs.ts';
import type { ChainsPorts } from './project/chains.ts';
import type { ProjectPorts } from './project/event.ts';

export function projectPorts(): ProjectPorts & ChainsPorts {
  const environment = process.env;
  const write = (line: string) => void process.stdout.write(`${line}\n`);
  const bucket = environment.ARCHIVE_BUCKET ?? '';
  const client = new S3Client(objectBounds());
  const signer = lazyKmsSigner(environment.SIGNING_KEY_ID ?? '', {}, formerKeyIds(environment));
  const archive = archiveBucket({ client, bucket });
  const checkpoints = checkpointBucket({ client, bucket, signer, clock: systemClock, remembers: true });
  const deployment = environment.GATEWAY_NAME ?? '';
  const telemetry = logTelemetry({ clock: systemClock, write, service: 'agent-governance-gateway', deployment });
  const table = (name: TableName) => environment[tableEnvironment(name)] ?? '';
  const tables = { observations: table('observations'), deliveries: table('deliveries') } as Record<TableName, string>;
  const store = { store: dynamoStore({ client: dynamoClient(clientBounds()), tables }) };
  const queue = chainQueue({ ...store, clock: systemClock, ids: systemIds });
  const contradictions = contradictionRows(store);
  const raised = { clock: systemClock, contradictions, telemetry };
  const log = (logs as Partial<AwsLogs>).awsLog?.({ environment, bucket, client, store });
  return {
    observations: observationsTable(store),
    views: undefined,
    // The configuration is not read here, because the notifier drops events that no webhook accepts.
    announce: (entries) =>
      announceViolations(
        { deliveries: deliveriesTable(store), clock: systemClock, wanted: async () => true },
        entries.map(projectEntry),
      ),
    setAside: setAsideRows(store),
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    archive,
    // Only one process at a time signs for a tenant; it covers everything that the tenant's lanes archived meanwhile.
    cover: async (entries) => queue.put(await checkedStretches(raised, entries)),
    coverStretches: (stretches) => checkpointStretches({ checkpoints, archive, log, ...raised }, stretches),
    ...raised,
  };
}
