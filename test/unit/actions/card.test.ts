/** The row of an approval request: the facts on its card, and the data that an approval is bound to. */
import { approvalRow, timeoutSeconds } from '#core/actions/approval-row.ts';
import { cardFacts } from '#core/actions/card-facts.ts';
import { withhold } from '#core/actions/entries.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Loose } from '../../support/loose.ts';
import { action, nowMs } from './sample.ts';

const ports: Loose = { clock: { now: () => nowMs }, ids: { randomHex: (bytes: number) => '0'.repeat(bytes * 2) } };
const facts = (over: Loose = {}) => cardFacts(action(over), nowMs, withhold(ports, action(over)).hide);
const rowOf = (over: Loose = {}, safe: Loose = {}) =>
  approvalRow(ports, action(over), { ...withhold(ports, action(over)), ...safe });
const token = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';

describe('the card', () => {
  test('names the key, the policy, the effects and the scores', () => {
    expect(facts()).toEqual({
      key_name: 'writer',
      key_kind: 'agent',
      executed: [],
      policy: 'p',
      effects: [expect.any(String)],
      effect_risks: [expect.any(String)],
      summary: { text: expect.any(String), risk: expect.any(String) },
      risk: { session: 0, key: 0, kill_switch: 80 },
    });
  });

  test('shows no scores without scoring, and no effects if they are unknown', () => {
    expect(facts({ configuration: { behavior: { enabled: false } } })).not.toHaveProperty('risk');
    expect(facts({ standing: undefined })).not.toHaveProperty('risk');
    expect(facts({ effects: undefined })).not.toHaveProperty('effects');
  });

  test('shows the credential that the call would get', () => {
    const grant = { protocol: 'git', tool: 'scm.*', broker: 'b', scope: 'read', ttl_seconds: 60 };
    const credentials = { brokers: [{ name: 'b', type: 'static', secret_env: 'X' }], grants: [grant] };
    expect(facts({ configuration: { credentials } }).credential).toEqual({
      broker: 'b',
      scope: 'read',
      ttl_seconds: 60,
    });
    expect(facts()).not.toHaveProperty('credential');
  });

  const guard = [
    { kind: 'shell', where: '$.a', action: 'review' },
    { kind: 'sql', where: '$.b', action: 'review' },
  ];
  const drift = [{ kind: 'tool', task: 'task-1', detail: 'x', found: 'scm.get', allowed: 'scm.list' }];

  test.each<[string, Loose, string | undefined]>([
    ['of the rule', { decision: { rule: { reason: 'Writers ask.' } } }, 'Writers ask.'],
    [
      'of the decision, which is about this call',
      { decision: { rule: { reason: 'Writers ask.' }, reason: 'else' } },
      'else',
    ],
    ['of the reader, where the rule has none', { decision: { rule: {}, reason: 'else' } }, 'else'],
    ['none', {}, undefined],
    ['of the guard beside it', { decision: { reason: 'one.', guard } }, 'one. Tool guard: shell at $.a, sql at $.b.'],
    [
      'of the guard, said once where it decided',
      { decision: { reason: 'one.', guard, matched_rule: 'tool_guard:shell' } },
      'one.',
    ],
    ['of an empty guard', { decision: { reason: 'one.', guard: [] } }, 'one.'],
    ['without secrets', { decision: { reason: `not with ${token} here` } }, 'not with [redacted] here'],
  ])('shows a reason: %s', (_, over, expected) => {
    expect(facts(over).rule_reason).toBe(expected);
  });

  test('mentions a deviation from the task sheets if something else determined the decision', () => {
    expect(facts({ decision: { reason: 'one.', drift } }).rule_reason).toMatch(/^one\. .+/);
    expect(facts({ decision: { reason: 'one.', drift, matched_rule: 'manifest:task-1' } }).rule_reason).toBe('one.');
    expect(facts({ decision: { drift: [] } })).not.toHaveProperty('rule_reason');
  });

  test('truncates an effect at 600 characters, and shows secrets only in text that is executed', () => {
    const part = (protocol: string, target: string) => ({
      effects: { parts: [{ protocol, tool: 'x', target, capability: 'read', parameters: {} }], carrier: false },
    });
    const [long] = facts(part('mcp', 'y'.repeat(700))).effects!;
    expect(long!.indexOf('…')).toBe(600);
    expect(facts(part('mcp', `a ${token} b`)).effects![0]).toContain('a [redacted] b');
    expect(facts(part('shell', token)).effects![0]).toContain(token);
    // Text is masked before it is truncated.
    expect(facts(part('mcp', `${'y'.repeat(140)} ${token}`)).summary!.text).not.toContain('ghp_');
  });
});

describe('the row', () => {
  test('contains the call as shown, its times and its requester, and no empty members', () => {
    const row = rowOf();
    expect(row).toMatchObject({
      envelope_id: 'e1',
      tenant: 't',
      session_id: 's1',
      key_id: 'k1',
      key_owner: 'bob',
      status: 'pending',
      queued_at: isoTime(nowMs),
      expires_at: isoTime(nowMs + 1_800_000),
      policy_version: 3,
      vote_count: 0,
      withheld: [],
      call_digest: 'd'.repeat(64),
      matched_rule: 'git:*',
    });
    for (const absent of [
      'federated',
      'definition',
      'sent_with',
      'caller_executes',
      'require_passkey',
      'requires',
      'drift',
      'sources',
    ])
      expect(row).not.toHaveProperty(absent);
    expect(rowOf({ principal: { key_id: 'k1', kind: 'agent', name: 'w' } })).not.toHaveProperty('key_owner');
  });

  test.each<[string, Loose, Loose, Loose]>([
    [
      'a caller with a token',
      { principal: { kind: 'agent', federated: { issuer: 'i', subject: 's' } } },
      {},
      { federated: { issuer: 'i', subject: 's' } },
    ],
    ['a definition', { envelope: { definition: 'abc' } }, {}, { definition: 'abc' }],
    ['what is sent beside', { envelope: { sent_with: { a: 1 } } }, {}, { sent_with: { a: 1 } }],
    ['a caller that executes', { decideOnly: true }, {}, { caller_executes: true }],
    [
      'a rule with a passkey',
      { decision: { rule: { approval: { require_passkey: true } } } },
      {},
      { require_passkey: true },
    ],
    ['drift', {}, { task: { drift: [{ kind: 'tool' }] } }, { drift: [{ kind: 'tool' }] }],
    ['sources', { decision: { provenance: { notes: [], lines: ['l'] } } }, {}, { sources: ['l'] }],
  ])('holds %s', (_, over, safe, expected) => {
    expect(rowOf(over, safe)).toMatchObject(expected);
  });

  test('stays pending for as long as its rule specifies', () => {
    expect(timeoutSeconds(action({ decision: { rule: { approval: { timeout_seconds: 60 } } } }))).toBe(60);
    expect(timeoutSeconds(action({ decision: { rule: { approval: {} } } }))).toBe(1_800);
    expect(rowOf({ decision: { rule: { approval: { timeout_seconds: 60 } } } }).expires_at).toBe(
      isoTime(nowMs + 60_000),
    );
  });
});
