/** An approval row, and an in-memory delivery store that fulfils its port's contract. */

import type { Delivery, DeliveryStore } from '#core/approvals/notifications/ports.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';

export const approvalId = '01890000-0000-7000-8000-000000000001';

export const sampleRow = (over: Partial<ApprovalRow> = {}): ApprovalRow => ({
  envelope_id: approvalId,
  tenant: 'default',
  session_id: 's1',
  key_id: 'key-id-1',
  key_name: 'ci-writer',
  key_kind: 'agent',
  key_owner: 'bob',
  actor: { agent: 'writer', session: 's1' },
  protocol: 'git',
  tool: 'scm.create_pull_request',
  target: 'acme/web',
  capability: 'write',
  capabilities: ['write'],
  parameters: { title: 'Fix' },
  withheld: [],
  justification: 'the build is red',
  call_digest: 'd'.repeat(64),
  matched_rule: 'git:scm.create_*',
  rule_reason: 'A person looks at pull requests.',
  policy: 'pr-writer',
  risk: { session: 12, key: 20, kill_switch: 80 },
  effects: ['writes to acme/web (scm.create_pull_request)'],
  policy_version: 1,
  queued_at: '2026-01-01T00:00:00.000Z',
  expires_at: '2026-01-01T00:30:00.000Z',
  status: 'pending',
  after_vote: 'retry',
  vote_count: 0,
  task_token: 'task-token-value',
  ...over,
});

export function memoryDeliveries() {
  const rows = new Map<string, Delivery>();
  const store: DeliveryStore = {
    enqueue: async (delivery) => void (rows.has(delivery.id) || rows.set(delivery.id, delivery)),
    get: async (id) => rows.get(id),
    due: async (now, limit) =>
      [...rows.values()]
        .filter(({ state, due_at }) => state === 'due' && due_at <= now)
        .sort((a, b) => (a.due_at < b.due_at ? -1 : 1))
        .slice(0, limit),
    dead: async (tenant, limit) =>
      [...rows.values()].filter((row) => row.state === 'dead' && row.tenant === tenant).slice(0, limit),
    async update(before, after) {
      const now = rows.get(before.id);
      if (now?.state !== before.state || now.due_at !== before.due_at || now.attempts !== before.attempts) return false;
      rows.set(after.id, after);
      return true;
    },
    seen: async () => true,
  };
  return { rows, store };
}
