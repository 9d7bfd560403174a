/** The canary against a real local gateway over HTTP. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '#adapters/system/clock.ts';
import { systemIds } from '#adapters/system/ids.ts';
import { logTelemetry } from '#adapters/telemetry/telemetry.ts';
import { createHandler } from '#lambdas/canary/event.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { until, workFolder } from './client.ts';

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
const config = join(workFolder(), 'gateway.yaml');
let gateway: Gateway;
beforeAll(async () => {
  writeFileSync(config, rules('review'));
  gateway = await startGateway({ config });
});
afterAll(() => gateway?.stop());

function canary(adminUrl: string, keys: Record<string, string>) {
  const lines: string[] = [];
  const telemetry = logTelemetry({ clock: systemClock, write: (line) => void lines.push(line), service: 'canary' });
  const secrets = { get: async (name: string) => keys[name] };
  const run = createHandler({ adminUrl, clock: systemClock, secrets, telemetry, unique: () => systemIds.uuid() });
  return { run, lines, metrics: () => telemetry.metricsText() };
}
const keys = { CANARY_AGENT_KEY: 'canary-agent-key-1', CANARY_APPROVER_KEY: 'canary-approver-key-1' };

test('[watch.alarms] passes repeatedly: allow, review, vote, use the approval, block, verify', async () => {
  const { run, lines, metrics } = canary(gateway.ready.admin_url, keys);
  for (let round = 0; round < 5; round++) expect(await run()).toMatchObject({ outcome: 'passed' });
  expect(metrics()).toContain('svc_canary_rounds_total{outcome="passed"} 5');
  for (const key of Object.values(keys)) expect(lines.join()).not.toContain(key);
});

test('[watch.alarms] names the step at which the gateway makes an unexpected decision', async () => {
  writeFileSync(config, rules('allow'));
  const { run, metrics } = canary(gateway.ready.admin_url, keys);
  const failed = await until('the other configuration', async () => {
    const round = await run();
    return round?.outcome === 'failed' ? round : undefined;
  });
  expect(failed).toMatchObject({ step: 'review', error: 'expected 200 and review, got 200 and allow' });
  expect(metrics()).toContain('svc_canary_rounds_total{outcome="failed"} 1');
});

test('[watch.alarms] fails if no server responds or a key is unknown, and does nothing without keys', async () => {
  expect(await canary('http://127.0.0.1:1', keys).run()).toMatchObject({ outcome: 'failed', step: 'allow' });
  const stranger = { ...keys, CANARY_AGENT_KEY: 'no-such-key' };
  const { admin_url } = gateway.ready;
  expect(await canary(admin_url, stranger).run()).toMatchObject({ outcome: 'failed', step: 'allow' });
  const idle = canary(admin_url, {});
  expect(await idle.run()).toBeUndefined();
  expect(idle.metrics()).not.toContain('svc_canary');
});
