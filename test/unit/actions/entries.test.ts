/** Contents of entries for calls and outcomes, and their redaction. */
import { decisionDraft, resultDraft, withhold, withholdOutcome } from '#core/actions/entries.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Loose } from '../../support/loose.ts';
import { action, nowMs } from './sample.ts';

let salts = 0;
const ports: Loose = {
  clock: { now: () => nowMs },
  ids: { uuid: () => 'u', randomHex: (bytes: number) => String(++salts).padStart(bytes * 2, '0') },
};
const bodyOf = (over: Loose = {}, extra: Loose = {}): Loose =>
  decisionDraft(ports, action(over), 'review', extra).draft.body;

describe('a decision entry', () => {
  test('contains the call, its decision and the policy, and no empty members', () => {
    const { draft, changes } = decisionDraft(ports, action(), 'review');
    expect(draft).toEqual({
      tenant: 't',
      session_id: 's1',
      timestamp: isoTime(nowMs),
      kind: 'review',
      envelope_id: 'e1',
      actor: { key_id: 'k1', agent: 'writer' },
      body: {
        protocol: 'git',
        tool: 'scm.get',
        target: 'acme/web',
        capability: 'read',
        parameters: {},
        matched_rule: 'git:*',
        policy: 'p',
        policy_version: 3,
        call_digest: 'd'.repeat(64),
      },
    });
    expect(changes).toEqual([]);
  });

  test.each<[string, Loose, Loose]>([
    ['a server', { envelope: { upstream: 'forge' } }, { upstream: 'forge' }],
    ['a name at its server', { envelope: { upstream_tool: 'get' } }, { upstream_tool: 'get' }],
    ['a definition', { envelope: { definition: 'abc' } }, { definition: 'abc' }],
    ['what is sent beside', { envelope: { sent_with: { a: 1 } } }, { sent_with: { a: 1 } }],
    ['a justification', { envelope: { justification: 'why' } }, { justification: 'why' }],
    ['a reason', { decision: { reason: 'because' } }, { reason: 'because' }],
    [
      'findings of the guard, without their texts',
      { decision: { guard: [{ kind: 'shell', where: '$.a', action: 'block', text: 'rm' }] } },
      { guard: [{ kind: 'shell', where: '$.a', action: 'block' }] },
    ],
    ['sources', { decision: { provenance: { notes: [{ n: 1 }], lines: ['x'] } } }, { provenance: [{ n: 1 }] }],
    ['the way around the policy', { configuration: { policies: { break_glass: true } } }, { break_glass: true }],
    ['its risk', { decision: { behavior: { n: 1 } } }, { behavior: { n: 1 } }],
  ])('contains %s if present', (_, over, expected) => {
    expect(bodyOf(over)).toMatchObject(expected);
    for (const name of Object.keys(expected)) expect(bodyOf()).not.toHaveProperty(name);
  });

  test('[admin.usage] identifies the rule by its digest, unless an approval or a level determined the decision', () => {
    const rule = { protocol: 'git', tool: '*', decision: 'review' };
    const said = { ...rule, name: 'other', reason: 'why', suggested_alternative: 'what' };
    expect(bodyOf({ decision: { rule: said } }).rule_sha256).toBe(digestOf(rule));
    expect(bodyOf({ decision: { rule } })).toMatchObject({ matched_rule: 'git:*', rule_sha256: digestOf(rule) });
    for (const matched_rule of ['approved:e1', 'level:acme:git:*'])
      expect(bodyOf({ decision: { rule, matched_rule } })).not.toHaveProperty('rule_sha256');
  });

  test('contains only the digest of private parameters', () => {
    const body = bodyOf({ privateParameters: true, envelope: { parameters: { text: 'mine' } } });
    expect(body.parameters_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(body)).not.toContain('mine');
    expect(bodyOf({ envelope: { parameters: { text: 'mine' } } })).not.toHaveProperty('parameters_sha256');
  });
});

describe('[evidence.secrets-redacted] withheld parts of a call', () => {
  const password = 'correct horse battery';

  test('sensitive values are replaced in the entry; their salts are stored with it under the call id', () => {
    const { draft, changes } = decisionDraft(ports, action({ envelope: { parameters: { password } } }), 'review');
    expect(draft.body.withheld).toEqual(['$.parameters.password']);
    expect(JSON.stringify(draft)).not.toContain(password);
    expect(changes).toMatchObject([{ type: 'salts.put', tenant: 't', id: 'e1', salts: [expect.anything()] }]);
  });

  test('configured paths apply', () => {
    const over = {
      envelope: { parameters: { note: 'x' } },
      configuration: { evidence: { sensitive: ['$.parameters.note'] } },
    };
    expect(withhold(ports, action(over)).withheld).toEqual(['$.parameters.note']);
  });

  test('effects of text refused because of a secret are omitted', () => {
    const parameters = { command: 'curl -H "Authorization: Bearer ghp_0123456789abcdefghijklmnopqrstuvwxyz" x' };
    const effects = { parts: [{ protocol: 'http', tool: 'get', target: 'x', capability: 'read', parameters: {} }] };
    const shell = { protocol: 'shell', tool: 'shell.run', target: '' };
    expect(withhold(ports, action({ envelope: { ...shell, parameters }, effects })).task).toEqual({});
    expect(
      withhold(ports, action({ envelope: { ...shell, parameters: { command: 'ls' } }, effects })).task,
    ).not.toEqual({});
  });

  test('a call with more than 2,000 sensitive values is refused; one with exactly 2,000 is not', () => {
    const many = (count: number) => ({
      envelope: {
        parameters: Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { password: `${at}x` }])),
      },
    });
    expect(withhold(ports, action(many(2_000))).withheld).toHaveLength(2_000);
    expect(() => withhold(ports, action(many(2_001)))).toThrow('The call contains 2001 sensitive values; at most 2000');
  });

  test('redaction results from a worker are used unchanged', () => {
    const redaction = { value: { parameters: { found: 1 } }, withheld: ['$.x'], salts: [] };
    expect(withhold(ports, action({ redaction }))).toMatchObject({ parameters: { found: 1 }, withheld: ['$.x'] });
  });
});

describe('an outcome', () => {
  const kept = (outcome: Loose, secrets: string[] = [], more: Loose = {}) =>
    withholdOutcome({ ...ports, ...more }, action(), outcome, secrets);

  test('an outcome is stored without secrets, and its salts are stored under their own id', async () => {
    const { value, changes } = await kept({ result: { token: 'abc', own: 'ok s3cr3t' }, error: 'no s3cr3t' }, [
      's3cr3t',
    ]);
    expect(JSON.stringify(value)).not.toContain('s3cr3t');
    expect(value.error).toBe('no [credential withheld]');
    expect(changes).toMatchObject([{ id: 'e1#result' }]);
    expect(await kept({ result: 1 })).toEqual({ value: { result: 1 }, changes: [] });
    expect(await kept({})).toEqual({ value: {}, changes: [] });
  });

  test('error text is truncated at 4,096 characters, and lone surrogates are replaced', async () => {
    const long = await kept({ error: 'é'.repeat(4_097) });
    expect(long.value.error).toBe(`${'é'.repeat(4_095)}…`);
    expect((await kept({ error: 'é'.repeat(4_096) })).value.error).toHaveLength(4_096);
    expect((await kept({ error: 'a\ud800' })).value.error).toBe('a\ufffd');
    expect((await kept({ error: `${'a'.repeat(4_094)}\u{1f600}b` })).value.error).toBe(`${'a'.repeat(4_094)}\ufffd…`);
  });

  const secretsMany = (count: number) => Array.from({ length: count }, (_, at) => ({ password: `${at}x` }));

  test('a result with too many secrets is withheld completely, but its error is kept', async () => {
    expect(await kept({ result: secretsMany(2_000) })).not.toHaveProperty('result_withheld');
    const found = await kept({ result: secretsMany(2_001), error: 'no' });
    expect(found).toEqual({ value: { error: 'no' }, changes: [], result_withheld: 'too_many_secrets' });
  });

  test('a result that cannot be redacted in time is withheld; other failures are not hidden', async () => {
    const large = { result: 'x'.repeat(20_000), error: 'no' };
    const slow = { calls: { redact: () => Promise.reject(new GatewayError('payload_too_large', 'late')) } };
    expect(await kept(large, [], slow)).toEqual({
      value: { error: 'no' },
      changes: [],
      result_withheld: 'not_redacted',
    });
    const broken = { calls: { redact: () => Promise.reject(new TypeError('bug')) } };
    await expect(kept(large, [], broken)).rejects.toThrow('bug');
    expect((await kept({ result: 'small' }, [], broken)).value.result).toBe('small');
  });

  test('a result entry names its approval, and its server and credential if any', () => {
    const body = (over: Loose, approval?: string, credential?: Loose) =>
      resultDraft(ports, action(over), approval, { outcome: 'executed' }, credential).body;
    expect(body({})).toEqual({ tool: 'scm.get', outcome: 'executed' });
    const record = { id: 'c', type: 'x', scope: 'y', broker: 'b', expires_at: 'z', session_id: 's' };
    expect(body({ envelope: { upstream: 'forge' } }, 'a1', record)).toEqual({
      tool: 'scm.get',
      upstream: 'forge',
      outcome: 'executed',
      approval_ref: 'a1',
      credential: { id: 'c', type: 'x', scope: 'y', broker: 'b', expires_at: 'z' },
    });
  });
});
