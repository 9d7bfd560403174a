/** Blocks and warnings on their way to the webhook, over real HTTP and the embedded store. */
import { createHmac } from 'node:crypto';
import { announceViolations, takesPolicyEvents } from '#core/approvals/notifications/policy-events.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { createHandler as notify } from '#lambdas/notify/event.ts';
import { createHandler as projector } from '#lambdas/project/event.ts';
import { caller } from '../support/call-endpoint.ts';
import { evidenceOf } from '../support/evidence-of.ts';
import { loopback } from '../support/loopback.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';
import { useStarted } from '../support/use-started.ts';

let gateway: TestPorts;
let said: { status: number; body?: unknown; headers?: Record<string, string> };

const hook = useStarted(() => {
  said = { status: 204 };
  return loopback(() => said);
}, 'test');
afterEach(async () => {
  await gateway.stop();
});

async function start(webhook = '') {
  gateway = await testPorts({
    extra: `
providers: [{ name: mock, type: mock, models: ["mock"] }]
policies:
  input:
    - { name: no, type: keyword, action: block, keywords: ["forbidden phrase"] }
    - { name: mails, type: pii, action: warn, entities: [email] }
approvals: { channels: { webhook: { url: "${hook.url}/hook", secret_env: HOOK_SECRET${webhook} } } }
`,
    secrets: { HOOK_SECRET: 'hook' },
  });
}

const ask = (text: string) =>
  caller(gateway.ports)('POST', '/v1/chat/completions', {
    key: keys.agent,
    headers: { 'x-session-id': 'watched' },
    body: { model: 'mock', messages: [{ role: 'user', content: text }] },
  });
const act = (tool: string) =>
  caller(gateway.ports)('POST', '/admin/v1/test-action', {
    key: keys.agent,
    body: { protocol: 'git', tool, target: 'acme/web', capability: 'delete', actor: { session: 'watched' } },
  });
const project = async () => {
  const entries = await evidenceOf(gateway.ports, 'watched');
  const { ports } = gateway;
  const wanted = async () => takesPolicyEvents(await ports.snapshots.current());
  const handler = projector({
    ...ports,
    archive: { keep: async () => {} },
    cover: undefined,
    views: undefined,
    announce: (entries) => announceViolations({ ...ports, wanted }, entries.map(projectEntry)),
  });
  const Records = entries.map((entry) => ({
    eventName: 'INSERT' as const,
    dynamodb: { SequenceNumber: entry.hash, NewImage: { entry: { S: canonicalize(entry) } } },
  }));
  expect(await handler({ Records })).toEqual({ batchItemFailures: [] });
  return entries;
};
const deliver = () => notify(gateway.ports)();
const messages = () => hook.calls.map(({ body }) => JSON.parse(body)).sort((a, b) => a.event.localeCompare(b.event));

test('[webhook.policy-events] a blocked prompt, a blocked action and a warning are sent, signed, without their texts', async () => {
  await start();
  expect((await ask('say the forbidden phrase')).status).toBe(403);
  expect((await ask('write to ann@example.com')).status).toBe(200);
  expect((await act('scm.delete_repository')).body.decision).toBe('block');
  expect(hook.calls).toEqual([]);
  const entries = await project();
  await deliver();
  const [first, second, warning] = messages();
  expect(
    [first, second].map(({ event, violation }) => [event, violation.matched_rule ?? violation.policy]).sort(),
  ).toEqual([
    ['policy_violation', expect.stringMatching(/^content:no$|^git:/)],
    ['policy_violation', expect.stringMatching(/^guard:|^git:|^content:no$/)],
  ]);
  expect(warning).toMatchObject({
    event: 'policy_warning',
    tenant: 'default',
    violation: { action: 'warn', count: 1, detail: 'email' },
  });
  const hashes = entries.map(({ hash }) => hash);
  for (const { evidence_hash, id, sent_at } of messages()) {
    expect(hashes).toContain(evidence_hash);
    expect([id, sent_at]).toEqual([expect.stringMatching(/^[0-9a-f]{64}#policy_/), expect.any(String)]);
  }
  expect(JSON.stringify(messages())).not.toMatch(/ann@example|say the/);
  const [{ headers, body }] = hook.calls as [(typeof hook.calls)[number]];
  const expected = createHmac('sha256', 'hook').update(`${headers['x-gateway-timestamp']}.${body}`).digest('hex');
  expect(headers['x-gateway-signature']).toBe(`v1=${expected}`);
});

test('[webhook.policy-events] projected again it is one message, and repeats of a rule in a minute are one', async () => {
  await start();
  for (let n = 0; n < 5; n++) await ask(`the forbidden phrase, ${n}`);
  for (let n = 0; n < 2; n++) {
    await project();
    await deliver();
  }
  expect(hook.calls).toHaveLength(1);
  gateway.pass(60);
  await ask('the forbidden phrase again');
  await project();
  await deliver();
  expect(hook.calls).toHaveLength(2);
});

test('[webhook.policy-events] a webhook that answers badly is tried again, and given up', async () => {
  await start();
  await ask('the forbidden phrase');
  await project();
  said = { status: 302, headers: { location: `${hook.url}/elsewhere` } };
  for (let n = 0; n < 9; n++) {
    await deliver();
    gateway.pass(700);
  }
  expect(hook.calls.every(({ path }) => path === '/hook')).toBe(true);
  expect(hook.calls).toHaveLength(8);
  const { failing } = (await caller(gateway.ports)('GET', '/admin/v1/health/detailed', { key: keys.human })).body
    .deliveries;
  expect(failing).toMatchObject([{ channel: 'webhook', event: 'policy_violation', state: 'dead', attempts: 8 }]);
});

test.each([
  ['warnings alone', ', policy_events: [policy_warning]', ['policy_warning']],
  ['none', ', policy_events: []', []],
  ['a channel that is off', ', enabled: false', []],
])('[webhook.policy-events] %s', async (_, webhook, events) => {
  await start(webhook);
  await ask('the forbidden phrase');
  await ask('write to ann@example.com');
  await project();
  await deliver();
  expect(messages().map(({ event }) => event)).toEqual(events);
});
