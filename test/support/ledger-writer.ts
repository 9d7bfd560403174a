/** One process that appends entries to a chain: `ledger-writer.ts ENDPOINT SESSION NUMBER COUNT`. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoLedger } from '#adapters/dynamodb/ledger.ts';

const [endpoint, session, writer, count] = process.argv.slice(2) as [string, string, string, string];
const client = new DynamoDBClient({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
const ledger = dynamoLedger({ client, tables: JSON.parse(process.env.TABLES ?? '{}') });

await Promise.all(
  Array.from({ length: Number(count) }, (_, i) =>
    ledger.commit({
      draft: {
        tenant: 't',
        session_id: session,
        timestamp: new Date().toISOString(),
        kind: 'allow',
        envelope_id: `w${writer}-${i}`,
        actor: { key_id: `k${writer}` },
        body: { policy_version: 1 },
      },
    }),
  ),
);
client.destroy();
