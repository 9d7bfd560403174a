/**
 * A process that appends to many chains concurrently until it has written `COUNT` entries or is killed, and prints each
 * acknowledged entry as a line on stdout: `ledger-crowd.ts ENDPOINT SESSIONS WRITER COUNT`.
 */
import { writeSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoStore } from '#adapters/aws/dynamodb/store.ts';
import { tableLedger } from '#adapters/tables/ledger.ts';
import type { EntryDraft } from '#core/contracts/evidence.ts';
import type { CommitOutcome } from '#core/evidence/ports.ts';

const [endpoint, sessions, writer, count] = process.argv.slice(2) as [string, string, string, string];
const client = new DynamoDBClient({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
const ledger = tableLedger({ store: dynamoStore({ client, tables: JSON.parse(process.env.TABLES ?? '{}') }) });
const callers = 24;
const refusedForNow = 'The session is too busy; nothing was written.';
let next = 0;

async function caller(): Promise<void> {
  while (next < Number(count)) {
    const n = next++;
    const session_id = `crowd-${n % Number(sessions)}`;
    const envelope_id = `w${writer}-${n}`;
    const draft = {
      tenant: 't',
      session_id,
      timestamp: new Date().toISOString(),
      kind: 'allow' as const,
      envelope_id,
      actor: { key_id: `k${writer}` },
      body: { policy_version: 1 },
    };
    const outcome = await committed(draft);
    if (outcome.ok) writeSync(1, `${session_id} ${outcome.entry.index} ${outcome.entry.hash} ${envelope_id}\n`);
  }
}

/** Commits an entry, and retries if the session is too busy. A refused attempt has written nothing. */
async function committed(draft: EntryDraft): Promise<CommitOutcome> {
  for (;;) {
    try {
      return await ledger.commit({ draft });
    } catch (thrown) {
      if (!(thrown instanceof Error) || !thrown.message.startsWith(refusedForNow)) throw thrown;
    }
  }
}

await Promise.all(Array.from({ length: callers }, caller));
client.destroy();
