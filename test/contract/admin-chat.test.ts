/** Usage, requests and analytics of chat calls over HTTP, projected from evidence. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { blocked, call, gateway, get, project, record } from '../support/admin-chat.ts';
import { keys } from '../support/ports.ts';

const warned = { policy: 'pii-in', type: 'pii', action: 'warn', phase: 'input', count: 2, detail: 'email' };
test('[admin.usage] violations of actions and chat calls are one list with separate counts', async () => {
  await call('POST', '/admin/v1/test-action', {
    key: keys.agent,
    body: {
      protocol: 'shell',
      tool: 'shell.exec',
      target: '/',
      capability: 'delete',
      parameters: { command: 'rm -rf /' },
    },
  });
  const { entries } = await get('audit?decision=block');
  for (const entry of entries) await project(entry);
  await record({ decision: 'block', outcome: 'blocked', status: 403, findings: [warned, blocked] });
  await record({ findings: [warned, { ...warned, action: 'redact', policy: 'pii-out', phase: 'output' }] });
  const { violations, by_policy, by_rule, by_tenant, by_action } = await get('violations');
  const tools = entries.length;
  expect(by_action).toEqual({ block: tools + 1, warn: 2, redact: 1 });
  expect(by_tenant).toEqual({ default: tools + 1 });
  expect(by_policy).toEqual({ [entries[0].body.policy]: tools, jailbreak: 1 });
  expect(by_rule).toEqual({ [entries[0].body.matched_rule]: tools });
  expect(Object.keys(by_policy)).not.toContain('pii-in');
  expect(violations).toHaveLength(tools + 3);
  expect(violations).toContainEqual(
    expect.objectContaining({
      policy: 'jailbreak',
      matched_rule: 'content:jailbreak',
      action: 'block',
      type: 'keyword',
      phase: 'input',
      model: 'mock',
      count: 1,
      session_id: 'chat-1',
      key_id: 'k1',
    }),
  );
});
test('[admin.requests-filters] requests: newest first, paged, filtered, 48 hours, each tenant its own', async () => {
  await record({ model: 'old' });
  gateway.pass(48 * 3600 - 10);
  for (const model of ['a', 'b', 'c']) {
    gateway.pass(1);
    await record({ model, ...(model === 'b' && { outcome: 'failed', error: 'the provider said no' }) });
  }
  await record({}, { tenant: 'elsewhere' });
  const models = async (query: string) =>
    (await get(`requests${query}`)).requests.map(({ model }: { model: string }) => model);
  expect(await models('')).toEqual(['c', 'b', 'a', 'old']);
  gateway.pass(30);
  expect(await models('')).toEqual(['c', 'b', 'a']);
  expect(await models('?model=a')).toEqual(['a']);
  expect(await models('?outcome=failed')).toEqual(['b']);
  const times = (await get('requests')).requests.map(({ at }: { at: string }) => at);
  for (const [query, found] of [
    ['text=PROVIDER%20SAID', ['b']],
    ['text=nothing%20like%20it', []],
    ['key=k1', ['c', 'b', 'a']],
    ['key=k2', []],
    [`from=${times[1]}`, ['c', 'b']],
    [`to=${times[1]}`, ['b', 'a']],
    [`from=${times[2]}&to=${times[1]}&model=a`, ['a']],
  ] as const)
    expect([query, await models(`?${query}`)]).toEqual([query, found]);
  const first = await get('requests?limit=2');
  expect(first.requests).toHaveLength(2);
  expect(
    (await get(`requests?limit=2&cursor=${first.cursor}`)).requests.map(({ model }: { model: string }) => model),
  ).toEqual(['a']);
  expect(first.requests[1]).toMatchObject({
    outcome: 'failed',
    error: 'the provider said no',
    status: 200,
    cost_usd: 0.00025,
  });
  expect((await call('GET', '/admin/v1/requests', { key: keys.viewer })).status).toBe(403);
  expect((await call('GET', '/admin/v1/requests?limit=201', { key: keys.human })).status).toBe(400);
});
test('[chat.cache] cache shows hits, misses, hit rate and evictions of the tenant', async () => {
  expect(await get('cache')).toMatchObject({
    enabled: true,
    hits: 0,
    misses: 0,
    hit_rate: 0,
    evictions: 0,
    entries: 0,
  });
  await record();
  await record({ outcome: 'cached', cache: 'HIT' });
  await record({ outcome: 'cached', cache: 'SEMANTIC-HIT', cache_evictions: 3 });
  await record({ outcome: 'cached', cache: 'HIT' }, { tenant: 'elsewhere' });
  expect(await get('cache', keys.viewer)).toMatchObject({
    hits: 1,
    semantic_hits: 1,
    misses: 1,
    hit_rate: 0.6667,
    evictions: 3,
  });
});
test('[admin.status] detailed health shows providers, budgets and recent violations', async () => {
  await record({ decision: 'block', outcome: 'blocked', findings: [blocked] });
  const status = await get('health/detailed', keys.viewer);
  expect(status.providers).toMatchObject([
    { name: 'mock', health: 'unknown' },
    { name: 'openai', health: 'disabled' },
  ]);
  expect(status.budgets).toHaveLength(4);
  expect(status.recent_violations).toMatchObject([{ policy: 'jailbreak', action: 'block' }]);
  expect(status).toMatchObject({ evidence_sessions: 1, pending_approvals: 0 });
});
describe('the audit log', () => {
  test('decision and tool look into chat entries', async () => {
    await record();
    const block = await record({ decision: 'block', outcome: 'blocked', operation: 'messages' });
    const ids = async (query: string) =>
      (await get(`audit?kind=chat&${query}`)).entries.map(({ envelope_id }: EvidenceEntry) => envelope_id);
    expect(await ids('decision=block')).toEqual([block.envelope_id]);
    expect(await ids('tool=messages')).toEqual([block.envelope_id]);
    expect(await ids('decision=allow')).toHaveLength(1);
    expect(await ids('')).toHaveLength(2);
  });

  test('[evidence.chat] is valid JSON with quotes, controls and braces in names and details', async () => {
    const odd = `say "hi"\\ {"a": [1]}, 'x'\n\t\u0000\u2028 </script> 💬`;
    const entry = await record({
      model: odd,
      resolved_model: odd,
      error: odd,
      findings: [{ ...warned, detail: odd, policy: odd }],
    });
    const audit = await call('GET', '/admin/v1/audit?kind=chat', { key: keys.human });
    expect(JSON.parse(audit.text).entries).toEqual([entry]);
    expect((await get('requests')).requests[0]).toMatchObject({ model: odd, error: odd });
    expect((await get('violations')).violations[0]).toMatchObject({ policy: odd, detail: odd });
    expect((await get('usage')).models[0].model).toBe(odd);
  });
});
test.each([
  ['audit?kind=bogus', 'kind is "bogus"; it takes allow, block, review'],
  ['audit?decision=maybe', 'decision is "maybe"; it takes allow, review, block.'],
  ['requests?outcome=ok', 'outcome is "ok"; it takes completed, cached, blocked'],
  ['requests?from=2026-01-02&to=2026-01-01', 'from is later than to. Swap them'],
  ['requests?to=noon', 'to is "noon"; it takes an ISO 8601 time'],
  ['traces?status=bad', 'status is "bad"; it takes ok, error.'],
  ['alerts?state=open', 'state is "open"; it takes active, acknowledged, resolved.'],
])('[error.unknown-query] %s is refused with the words it takes', async (path, message) => {
  const { status, body } = await call('GET', `/admin/v1/${path}`, { key: keys.human });
  expect({ status, type: body.error.type }).toEqual({ status: 400, type: 'invalid_request' });
  expect(body.error.message).toContain(message);
});
