/** Three tenants with traffic: `shop` and `bank` in two teams of one organisation, `home` outside it. */
import type { DynamoDBRecord } from 'aws-lambda';
import { canonicalize } from '#core/kernel/canonical.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { createHandler as projector } from '#lambdas/project/event.ts';
import { sampleChat } from '../unit/observatory/sample.ts';
import { type TestPorts, testPorts } from './ports.ts';
import { unannounced } from './unannounced.ts';

/**
 * Configuration in which Alice administers all tenants; Bob's key belongs to `home`, and he may view the team web;
 * agents have their tenants' keys.
 */
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

/** Records a chat call as evidence and projects it. */
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
  const archive = { keep: async () => {} };
  await projector({ ...ports, archive, cover: undefined, views: undefined, announce: unannounced })({ Records });
}

const spending = `${levels}
budgets:
  global: { daily_usd: 100 }
  tenants: { home: { daily_usd: 1 }, shop: { daily_usd: 2 }, bank: { daily_usd: 3 } }
providers: [{ name: openai, type: openai, base_url: "https://models.example.com/v1", models: [gpt-4o, gpt-4o-mini] }]
routes: [{ match: { model: "*" }, providers: [openai] }]
prices:
  table:
    as_of: "2026-01-01"
    models:
      - { match: gpt-4o, source: test, input_usd_per_million: 2.5, output_usd_per_million: 10 }
      - { match: gpt-4o-mini, source: test, input_usd_per_million: 0.15, output_usd_per_million: 0.6 }
`;
const named = (model: string) => ({ model, resolved_model: model, provider: 'openai' });

/** Starts a gateway with these tenants and calls of known cost. */
export async function spendingLevels(): Promise<TestPorts> {
  const gateway = await testPorts({ configuration: spending });
  const calls: [tenant: string, model: string][] = [
    ['home', 'gpt-4o'],
    ['shop', 'gpt-4o'],
    ['bank', 'gpt-4o'],
    ['bank', 'gpt-4o'],
    ['bank', 'constructor'],
  ];
  for (const [tenant, model] of calls) await recordChat(gateway, tenant, named(model));
  return gateway;
}

/** Starts a gateway with more tenants below `acme` than a response aggregates. */
export async function manyTenants(): Promise<TestPorts> {
  const ids = Array.from({ length: 201 }, (_, n) => `t${n}`);
  const tenant = (id: string) => `  - { id: ${id}, api_keys: [{ key: key-of-${id}, kind: agent }] }`;
  const project = (id: string) => `{ id: ${id}, environments: [{ id: production, kind: production, tenant: ${id} }] }`;
  return testPorts({
    configuration: `version: 1
people: [{ id: alice, role: admin, tenants: ["*"] }]
tenants:
  - { id: home, api_keys: [{ key: alice-key-1, kind: human, person: alice, role: admin, platform: true }] }
${ids.map(tenant).join('\n')}
organizations: [{ id: acme, teams: [{ id: web, projects: [${ids.map(project).join(', ')}] }] }]
`,
  });
}
