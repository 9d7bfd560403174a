/**
 * Operations per second that one tenant can perform before a DynamoDB partition key exceeds 1,000 write units, based on
 * the items that the gateway writes. A test compares the result with the table in docs/explanation/store-keys.md.
 */
import { type Item, toItem } from '#adapters/aws/dynamodb/items.ts';
import { openPuts, toStored } from '#adapters/tables/approval-items.ts';
import { credentialPut } from '#adapters/tables/credentials-table.ts';
import { entryPut, headPut } from '#adapters/tables/evidence-table.ts';
import type { Write } from '#adapters/tables/store.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { TableName } from '#core/contracts/tables.ts';
import { advanceHead, sealEntry } from '#core/evidence/chain.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { tables } from '#features/tables.ts';

const unitsPerKey = 1_000;
const unitBytes = 1_024;
const operations = 4_096;

const attributeBytes = (value: Item[string]): number => {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return Math.ceil(value.N.length / 2) + 1;
  if (value.B !== undefined) return value.B.byteLength;
  if (value.L !== undefined) return value.L.reduce((sum, each) => sum + 1 + attributeBytes(each), 3);
  if (value.M !== undefined) return 3 + sizeOf(value.M) + Object.keys(value.M).length;
  return 1;
};

/** Returns an item's size in bytes as DynamoDB counts it: names and values. */
export const sizeOf = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + attributeBytes(value), 0);

/** Returns the write units that an item costs; a transaction doubles them. */
export const unitsOf = (item: Item, transactional: boolean): number =>
  Math.ceil(sizeOf(item) / unitBytes) * (transactional ? 2 : 1);

const itemOf = (write: Write): Item => toItem('put' in write ? write.row : {});
const id = (n: number): string => `01890000-0000-7000-8000-${sha256(String(n)).slice(0, 12)}`;
const time = (n: number): string => isoTime(Date.UTC(2026, 0, 1) + n);

/** Builds the entry of an allowed action: the usual content of an `allow` entry, without parameters. */
const entryOf = (n: number, session: string): EvidenceEntry =>
  sealEntry(
    {
      tenant: 'tenant-1',
      session_id: session,
      timestamp: time(n),
      kind: 'allow',
      envelope_id: id(n),
      actor: { key_id: 'key-0123456789abcdef', agent: 'writer' },
      body: {
        protocol: 'git',
        tool: 'scm.create_pull_request',
        target: 'acme/web',
        capability: 'write',
        matched_rule: 'scm:pull-requests',
        policy: 'pr-writer',
        policy_version: 7,
        call_digest: sha256(`c${n}`),
        parameters: { title: 'Fix the build of the web application', head: 'fix/build', base: 'main' },
      },
    },
    undefined,
  );

const headOf = (n: number, session: string): Item =>
  itemOf(headPut(undefined, advanceHead(undefined, entryOf(n, session), 'key-0123456789abcdef')));

const approvalOf = (n: number): ApprovalRow =>
  ({
    envelope_id: id(n),
    tenant: 'tenant-1',
    session_id: `s${n}`,
    key_id: 'key-0123456789abcdef',
    queued_at: time(n),
    expires_at: time(n + 3_600_000),
    status: 'pending',
    call_digest: sha256(`c${n}`),
    tool: 'scm.create_pull_request',
    target: 'acme/web',
    parameters: { title: 'Fix' },
    withheld: [],
  }) as unknown as ApprovalRow;

const credentialOf = (n: number): CredentialRecord => ({
  id: id(n),
  tenant: 'tenant-1',
  session_id: `s${n}`,
  envelope_id: id(n),
  broker: 'scm',
  type: 'scm_app_jwt',
  scope: 'pull_requests:write,contents:read',
  degraded: false,
  issued_at: time(n),
  revoke_due: time(n + 120_000),
  expires_at: time(n + 600_000),
});

interface StoreMeasurement {
  readonly store: string;
  readonly what: string;
  readonly of: string;
  /** Returns the item that the nth operation writes. */
  readonly item: (n: number) => Item;
  /** Returns the write units that one operation costs at this key. */
  readonly units: (item: Item) => number;
  readonly key: string;
  readonly beyond: string;
}

const table = (name: TableName): string => tables[name].partitionKey;
const index = (name: TableName, at = 0): string => {
  const { indexes = [] } = tables[name];
  return indexes[at]!.partitionKey;
};
/**
 * Returns a cost in units. A row that contains only keys is far below one unit; moving it takes one delete and one put.
 */
const indexCost = (writes: number) => (): number => writes;
const inTransaction = (item: Item): number => unitsOf(item, true);

const measured: readonly StoreMeasurement[] = [
  {
    store: '`evidence`',
    what: 'entries of one session',
    of: 'session',
    key: table('evidence'),
    item: (n) => itemOf(entryPut(entryOf(n, 's'), 'writer')),
    units: inTransaction,
    beyond: 'nothing: the session head reaches its limit first',
  },
  {
    store: '`evidence` by_time',
    what: 'entries',
    of: 'tenant',
    key: index('evidence'),
    item: (n) => itemOf(entryPut(entryOf(n, `s${n}`), id(n))),
    units: indexCost(1),
    beyond: 'nothing',
  },
  {
    store: '`sessions`',
    what: 'commits to one session',
    of: 'session',
    key: table('sessions'),
    item: (n) => headOf(n, 's'),
    units: inTransaction,
    beyond: 'more sessions: writers of one chain wait for each other above about 40 commits per second',
  },
  {
    store: '`sessions` by_opened',
    what: 'sessions opened',
    of: 'tenant',
    key: index('sessions'),
    item: (n) => headOf(n, `s${n}`),
    units: indexCost(1),
    beyond: 'nothing',
  },
  {
    store: '`credentials`',
    what: 'credentials issued',
    of: 'tenant',
    key: table('credentials'),
    item: (n) => itemOf(credentialPut(credentialOf(n))),
    units: inTransaction,
    beyond: '32 shards',
  },
  {
    store: '`credentials` by_due',
    what: 'credentials issued and ended',
    of: 'all',
    key: index('credentials'),
    item: (n) => itemOf(credentialPut(credentialOf(n))),
    units: indexCost(2),
    beyond: '32 shards',
  },
  {
    store: '`approvals` by_status',
    what: 'requests queued and decided',
    of: 'tenant',
    key: index('approvals'),
    item: (n) => itemOf(openPuts({ type: 'approval.open', row: approvalOf(n) })[1]!),
    units: indexCost(2),
    beyond: 'Step Functions reaches its limit first: 300 starts per second per account',
  },
  {
    store: '`approvals` by_due',
    what: 'requests from queued to used',
    of: 'all',
    key: index('approvals', 1),
    // Put, moved when the clock starts and at the decision, deleted by the release, put for the lease, deleted.
    item: (n) => toItem(toStored(approvalOf(n))),
    units: indexCost(8),
    beyond: 'Step Functions first',
  },
];

const perSecond = ({ item, units, key }: StoreMeasurement): { most: number; keys: number } => {
  const byKey = new Map<string, number>();
  for (let n = 0; n < operations; n++) {
    const written = item(n);
    const name = written[key]?.S ?? '';
    byKey.set(name, (byKey.get(name) ?? 0) + units(written));
  }
  const most = (unitsPerKey * operations) / Math.max(...byKey.values());
  const digits = 10 ** (Math.floor(Math.log10(most)) - 1);
  return { most: Math.floor(most / digits) * digits, keys: byKey.size };
};

/** Returns the table as Markdown, with one space between columns. */
export function storeRates(): string {
  const rows = measured.map((row) => {
    const { most, keys } = perSecond(row);
    const units = row.units(row.item(0));
    return [
      row.store,
      `\`${row.key}\`, ${keys} of a ${row.of === 'all' ? 'list of all tenants' : row.of}`,
      row.what,
      units,
      most,
      row.beyond,
    ];
  });
  const head = [
    'Store',
    'Partition keys',
    'What',
    'Write units each',
    'Per second, before the first throttle',
    'For 10,000 a second',
  ];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
