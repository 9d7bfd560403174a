/** In-memory approval ports: rows that change as the ledger changes them, and a record of every operation. */
import { callDigest } from '#core/approvals/call-digest.ts';
import type { Delivery } from '#core/approvals/notifications/ports.ts';
import type { StepPorts } from '#core/approvals/steps.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { Change, CommitOutcome, Ledger } from '#core/evidence/ports.ts';
import { isoTime } from '#core/kernel/ports.ts';

export const start = Date.UTC(2026, 0, 1);
/** Returns the time this many seconds after the request was queued. */
export const at = (seconds: number): string => isoTime(start + seconds * 1000);

/** Returns a request that is pending for half an hour, with the digest of its own call. */
export function approvalRow(over: Partial<ApprovalRow> = {}): ApprovalRow {
  const row = {
    envelope_id: 'e1',
    tenant: 't',
    session_id: 's',
    key_id: 'k',
    key_owner: 'bob',
    actor: { agent: 'writer', session: 's' },
    protocol: 'git',
    tool: 'scm.merge',
    target: 'acme/web',
    capability: 'write',
    parameters: { number: 7 },
    withheld: [],
    justification: '',
    matched_rule: 'git:scm.*',
    policy_version: 1,
    queued_at: at(0),
    expires_at: at(1800),
    status: 'pending',
    ...over,
  } as ApprovalRow;
  return { ...row, call_digest: row.call_digest ?? callDigest(row) };
}

type Commit = Parameters<Ledger['commit']>[0];
type Move = Extract<Change, { type: 'approval.move' }>;

const holds = (row: ApprovalRow, { from, where = {}, after }: Move): boolean =>
  row.status === from &&
  Object.entries(where).every(([name, value]) => row[name as keyof ApprovalRow] === value) &&
  (!after || (row[after.attribute] ?? '') > after.time);

export function approvalsWorld(...given: ApprovalRow[]) {
  const rows = new Map(given.map((row) => [row.envelope_id, row]));
  const time = { ms: start };
  const commits: Commit[] = [];
  const did: [string, ...unknown[]][] = [];
  const logged: [string, unknown][] = [];
  const gauges: [string, number][] = [];
  const configuration = {
    approvals: {
      timeout_seconds: 600,
      on_approval: 'release',
      escalate_to: [],
      channels: { slack: { enabled: true } },
    },
  };
  /** Actions that run once before a commit, like a faster concurrent writer. */
  const before: (() => void)[] = [];

  const ledger: Ledger = {
    async commit(step): Promise<CommitOutcome> {
      before.shift()?.();
      for (const change of step.changes ?? []) {
        if (change.type !== 'approval.move') continue;
        const row = rows.get(change.id);
        if (!row || !holds(row, change)) return { ok: false, failed: change, current: { ...row } };
        const { to, set, clear = [] } = change;
        const kept = Object.entries(row).filter(([name]) => !clear.includes(name as keyof ApprovalRow));
        rows.set(change.id, { ...Object.fromEntries(kept), ...set, status: to } as ApprovalRow);
      }
      const index = commits.push(step) - 1;
      return { ok: true, entry: { ...step.draft, index, hash: `hash-${index}` }, head: {} } as never;
    },
  };
  const note =
    (name: string) =>
    async (...args: unknown[]): Promise<void> =>
      void did.push([name, ...args]);
  const ports = {
    clock: { now: () => time.ms },
    ids: { randomHex: (bytes: number) => 'ab'.repeat(bytes) },
    ledger,
    approvals: {
      find: async (id: string) => rows.get(id),
      clockStarted: note('clockStarted'),
      releaseToken: async ({ envelope_id }: ApprovalRow, dueAt?: string) =>
        void did.push(['releaseToken', envelope_id, ...(dueAt === undefined ? [] : [dueAt])]),
      noteRestarted: async ({ envelope_id }: ApprovalRow) => void did.push(['noteRestarted', envelope_id]),
      holdToken: async (id: string, token: string) => {
        did.push(['holdToken', id, token]);
        return rows.get(id);
      },
      postpone: async (row: ApprovalRow, until: string) => void did.push(['postpone', row.envelope_id, until]),
      async *due(now: string) {
        did.push(['due', now]);
        yield* [...rows.values()];
      },
      waiting: async () => ({ pending: rows.size, oldest: at(0) }),
    },
    approvalClock: { start: note('start'), settle: note('settle') },
    channelLimits: {},
    deliveries: {
      enqueue: async ({ id }: Delivery) => void did.push(['enqueue', id]),
      get: async () => undefined,
      seen: async () => true,
    },
    telemetry: {
      gauge: (name: string, value: number) => void gauges.push([name, value]),
      log: (_level: string, message: string, fields: unknown) => void logged.push([message, fields]),
    },
    votes: { keyId: 'vote-key', sign: async () => 'signed', publicKey: async () => 'pem' },
    configuration: async () => configuration as unknown as Configuration,
    execute: async (row: ApprovalRow, host?: object) => {
      did.push(['execute', row.envelope_id, host]);
      return { ...row, status: 'consumed' };
    },
  } as unknown as StepPorts;

  return {
    ports,
    rows,
    commits,
    did,
    logged,
    gauges,
    before,
    configuration,
    pass: (seconds: number) => {
      time.ms += seconds * 1000;
    },
    /** Returns the recorded operations with one of these names, in order. */
    done: (...names: string[]) => did.filter(([name]) => names.includes(name)),
  };
}
