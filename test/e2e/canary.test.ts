/** The canary against a real local gateway over HTTP. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#adapters/system/clock.ts';
import { systemIds } from '#adapters/system/ids.ts';
import { logTelemetry } from '#adapters/telemetry/telemetry.ts';
import { createHandler } from '#lambdas/canary/event.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const rules = (change: string) => `
version: 1
admin: { token_env: GATEWAY_ADMIN_TOKEN }
people: [{ id: canary-approver, role: operator, tenants: [canary] }]
tenants:
  - id: canary
    api_keys:
      - { key: canary-agent-key-1, kind: agent, role: operator, name: canary }
      - { key: canary-approver-key-1, kind: human, role: operator, person: canary-approver, name: canary-approver }
tool_policies:
  pack: pr-writer
  rules:
    - { protocol: http, tool: "canary.read", target: canary, decision: allow }
    - { protocol: http, tool: "canary.change", target: canary, decision: ${change} }
    - { protocol: http, tool: "canary.forbidden", target: canary, decision: block, reason: "The canary checks that blocks hold." }
`;
const folder = mkdtempSync(join(tmpdir(), 'canary-'));
const gateways: Gateway[] = [];
afterAll(async () => {
  for (const gateway of gateways) await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function started(change: string): Promise<Gateway> {
  const config = join(folder, `${change}.yaml`);
  writeFileSync(config, rules(change));
  const gateway = await startGateway({ config });
  gateways.push(gateway);
  return gateway;
}

function canary(adminUrl: string, keys: Record<string, string>) {
  const lines: string[] = [];
  const telemetry = logTelemetry({ clock: systemClock, write: (line) => void lines.push(line), service: 'canary' });
  const secrets = { get: async (name: string) => keys[name] };
  const run = createHandler({ adminUrl, clock: systemClock, secrets, telemetry, unique: () => systemIds.uuid() });
  return { run, lines, metrics: () => telemetry.metricsText() };
}
const keys = { CANARY_AGENT_KEY: 'canary-agent-key-1', CANARY_APPROVER_KEY: 'canary-approver-key-1' };

test('[watch.canary] passes round after round: allow, review, vote, use, block, verify', async () => {
  const { ready } = await started('review');
  const { run, lines, metrics } = canary(ready.admin_url, keys);
  for (let round = 0; round < 20; round++) expect(await run()).toMatchObject({ outcome: 'passed' });
  expect(metrics()).toContain('svc_canary_rounds_total{outcome="passed"} 20');
  for (const key of Object.values(keys)) expect(lines.join()).not.toContain(key);
});

test('[watch.canary] names the step at which a gateway decides otherwise', async () => {
  const { ready } = await started('allow');
  const { run, metrics } = canary(ready.admin_url, keys);
  expect(await run()).toMatchObject({
    outcome: 'failed',
    step: 'review',
    error: 'expected 200 and review, got 200 and allow',
  });
  expect(metrics()).toContain('svc_canary_rounds_total{outcome="failed"} 1');
});

test('[watch.canary] fails where nothing answers or a key is not known, and does nothing without keys', async () => {
  expect(await canary('http://127.0.0.1:1', keys).run()).toMatchObject({ outcome: 'failed', step: 'allow' });
  const stranger = { ...keys, CANARY_AGENT_KEY: 'no-such-key' };
  const { admin_url } = gateways[0]!.ready;
  expect(await canary(admin_url, stranger).run()).toMatchObject({ outcome: 'failed', step: 'allow' });
  const idle = canary(admin_url, {});
  expect(await idle.run()).toBeUndefined();
  expect(idle.metrics()).not.toContain('svc_canary');
});
