/** The credential of an approved call is that of the rule that allowed it, whichever source turned that into a review. */
import { caller } from '../support/call-endpoint.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';

const scope = 'issues:write';
const toolPolicies = `
  pack: null
  default_decision: review
  rules:
    - { protocol: git, tool: scm.add_label, decision: allow, credential: { broker: scm, scope: "${scope}", ttl_seconds: 60 } }
    - { protocol: git, tool: scm.read_label, decision: allow }
    - { protocol: shell, tool: "shell.*", decision: allow, credential: { broker: scm, scope: "${scope}", ttl_seconds: 60 } }
    - { protocol: git, tool: scm.lock, decision: review, credential: { broker: scm, scope: "lock:own", ttl_seconds: 60 } }`;

let gateway: TestPorts | undefined;
afterEach(() => gateway?.stop());

async function started(extra = '', tenants = '') {
  gateway = await testPorts({ toolPolicies, extra, tenants });
  return caller(gateway.ports);
}

const label = {
  protocol: 'git',
  tool: 'scm.add_label',
  target: 'acme/a',
  capability: 'write',
  parameters: { label: 'x' },
};
const actor = { agent: 'writer', session: 's' };

/** Makes the call, approves it, and makes it again. */
async function approved(call: ReturnType<typeof caller>, body: object) {
  const act = async (more: object = {}) =>
    (await call('POST', '/admin/v1/test-action', { key: keys.agent, body: { actor, ...body, ...more } })).body;
  const { decision, matched_rule, envelope_id } = await act();
  expect(decision).toBe('review');
  const path = `/admin/v1/approvals/${envelope_id}`;
  const { body: card } = await call('GET', path, { key: keys.human });
  expect((await call('POST', `${path}/approve`, { key: keys.human, body: { reviewer: 'Ana' } })).status).toBe(200);
  const made = await act({ approval_ref: envelope_id });
  expect(made.decision).toBe('allow');
  return { matched_rule, onCard: card.credential?.scope, got: made.credential?.scope };
}

describe('[credential.minted] the credential of the rule that allowed the call is on the card and given after approval:', () => {
  test('the tool guard reviews it', async () => {
    const call = await started();
    const parameters = { path: '/etc/hosts' };
    const outcome = await approved(call, { ...label, parameters, roots: ['/srv/data'] });
    expect(outcome).toEqual({ matched_rule: 'tool_guard:outside_roots', onCard: scope, got: scope });
  });

  test('a task manifest reviews it', async () => {
    const call = await started('manifests: { enforcement_mode: review }');
    const manifest = {
      name: 'read only',
      sessions: ['s'],
      tools: ['scm.get_*'],
      expires_at: '2026-01-01T01:00:00.000Z',
    };
    const { body, status } = await call('POST', '/admin/v1/manifests', { key: keys.human, body: manifest });
    expect([status, body.error]).toEqual([201, undefined]);
    const outcome = await approved(call, label);
    expect(outcome).toMatchObject({ onCard: scope, got: scope });
    expect(outcome.matched_rule).toMatch(/^manifest:/);
  });

  test('its text is unclear', async () => {
    const call = await started();
    const line = 'deploy "$TARGET"';
    const run = {
      protocol: 'shell',
      tool: 'shell.run',
      target: line,
      capability: 'execute',
      parameters: { command: line },
    };
    expect(await approved(call, run)).toEqual({ matched_rule: 'effects:unclear', onCard: scope, got: scope });
  });
});

test.each([
  ['a rule that reviews has its own', { ...label, tool: 'scm.lock' }, 'lock:own'],
  ['no rule allowed it', { ...label, tool: 'scm.other' }, undefined],
])('[credential.minted] %s', async (_name, body, expected) => {
  const outcome = await approved(await started(), body);
  expect([outcome.onCard, outcome.got]).toEqual([expected, expected]);
});

test('[credential.minted] an allowed call without a credential gets none when the guard reviews it', async () => {
  const parameters = { path: '/etc/hosts' };
  const body = { ...label, tool: 'scm.read_label', capability: 'read', parameters, roots: ['/srv/data'] };
  const outcome = await approved(await started(), body);
  expect([outcome.onCard, outcome.got]).toEqual([undefined, undefined]);
});
