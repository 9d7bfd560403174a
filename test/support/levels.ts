/** Three tenants of one organisation with traffic: `home` stands outside of it, `shop` and `bank` in two teams. */
import type { DynamoDBRecord } from 'aws-lambda';
import { canonicalize } from '#core/kernel/canonical.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { createHandler as projector } from '#lambdas/project/event.ts';
import { sampleChat } from '../unit/observatory/sample.ts';
import type { TestPorts } from './ports.ts';
import { unannounced } from './unannounced.ts';

/** Alice administers all tenants; Bob's key is of `home`, and he may look at the team web; agents have keys of their tenants. */
export const levels = `version: 1
people: [{ id: alice, role: admin, tenants: ["*"] }, { id: bob, role: operator, tenants: [home] }]
tenants:
  - id: home
    api_keys:
      - { key: bob-key-1, kind: human, person: bob, role: operator }
      - { key: alice-key-1, kind: human, person: alice, role: admin, platform: true }
  - { id: shop, api_keys: [{ key: agent-key-1, kind: agent }] }
  - { id: bank, api_keys: [{ key: agent-key-2, kind: agent, role: operator }] }
organizations:
  - id: acme
    teams:
      - id: web
        grants: [{ person: bob, role: viewer }]
        projects: [{ id: shop, environments: [{ id: production, kind: production, tenant: shop }] }]
      - { id: money, projects: [{ id: bank, environments: [{ id: production, kind: production, tenant: bank }] }] }
`;

/** A chat call becomes evidence and is projected. */
export async function recordChat({ ports }: TestPorts, tenant: string, record: object): Promise<void> {
  const { clock, ids, ledger } = ports;
  const { body } = sampleChat(0, record);
  const at = { tenant, session_id: 'chat-1', timestamp: isoTime(clock.now()) };
  const outcome = await ledger.commit({
    draft: { ...at, kind: 'chat', envelope_id: ids.uuid(), actor: { key_id: 'k1' }, body },
  });
  if (!outcome.ok) throw new Error('not committed');
  const entry = canonicalize(outcome.entry);
  const Records = [
    { eventName: 'INSERT', dynamodb: { SequenceNumber: '1', NewImage: { entry: { S: entry } } } },
  ] as DynamoDBRecord[];
  await projector({ ...ports, archive: { keep: async () => {} }, cover: undefined, announce: unannounced })({
    Records,
  });
}
