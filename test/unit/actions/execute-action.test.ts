/** An allowed call is carried out: its credential, its executor, and what is written and answered of the outcome. */
import { type ExecutionMode, executeAction, recordOutcome } from '#core/actions/execute-action.ts';
import { Cancelled } from '#core/execution/cancellation/watch.ts';
import { ExecutionFault, UpstreamError } from '#core/execution/executors/fault.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { calls, faultOf, type Governing, openGateways } from '../../support/governing.ts';
import { keys } from '../../support/ports.ts';

const open = openGateways();
let gateway: Governing;
let session = 0;
const fresh = () => `run-${++session}`;
beforeAll(async () => {
  gateway = await open();
});
beforeEach(() => {
  gateway.upstream.seen.length = 0;
  gateway.upstream.behave = async () => ({ done: true });
});

const approved = async (name: string) => {
  const { envelope_id } = await gateway.act(name, calls.pull);
  await gateway.vote(envelope_id as string, 'approve');
  return envelope_id as string;
};
const last = async (name: string) => (await gateway.entries(name)).at(-1)!;
const failing = (fault: unknown) => {
  gateway.upstream.behave = () => Promise.reject(fault);
};

describe('the credential', () => {
  test('is what the grant says, shown without its value, counted, and ended with its action', async () => {
    const name = fresh();
    const before = gateway.counted('svc_credentials_total{broker="scm",outcome="issued"}');
    gateway.upstream.behave = async () => {
      gateway.pass(3);
      return { done: true };
    };
    const answer = await gateway.act(name, calls.read);
    expect(answer.credential).toEqual({ type: 'scm_app_jwt', scope: 'contents:read', expires_in: 597 });
    const { credential } = gateway.upstream.seen[0]!;
    expect(credential!.record).toMatchObject({ broker: 'scm', envelope_id: answer.envelope_id });
    expect(gateway.counted('svc_credentials_total{broker="scm",outcome="issued"}')).toBe(before + 1);
    const kept = await gateway.ports.credentials.get('default', credential!.record.id);
    expect(kept).toMatchObject({ id: credential!.record.id });
    const entries = await gateway.entries(name);
    expect(entries.map(({ kind }) => kind)).toEqual(['allow', 'credential', 'credential', 'result']);
    expect(entries.at(-1)!.body.credential).toMatchObject({ broker: 'scm' });
    expect(entries.at(-1)!.body.latency_ms).toBe(3000);
  });

  test('that no executor takes stays for the caller: it stands in the result entry', async () => {
    const name = fresh();
    const answer = await gateway.act(name, calls.read, { over: { executors: () => [] } });
    expect(answer).toMatchObject({ decision: 'allow', credential: { expires_in: 600 } });
    expect(await gateway.kinds(name)).toEqual(['allow', 'result']);
    const { body } = await last(name);
    expect(body).toMatchObject({ outcome: 'not_executed', credential: { broker: 'scm' } });
    expect(body).not.toHaveProperty('latency_ms');
    expect(await gateway.ports.credentials.get('default', body.credential.id)).toMatchObject({
      expires_at: isoTime(gateway.ports.clock.now() + 600_000),
    });
  });

  test('without a grant and without an executor there is nothing to record', async () => {
    const name = fresh();
    expect(await gateway.act(name, calls.list, { over: { executors: () => [] } })).not.toHaveProperty('credential');
    expect(await gateway.kinds(name)).toEqual(['allow']);
  });

  test('that cannot be minted ends the call before the executor, and is counted', async () => {
    const name = fresh();
    const before = gateway.counted('svc_credentials_total{broker="scm",outcome="refused"}');
    const fault = await faultOf(gateway.act(name, calls.read, { over: { brokers: async () => undefined } }));
    expect(fault.code).toBe('service_unavailable');
    expect(fault.message).toBe('Broker scm of the grant for scm.get_file_contents is not available.');
    expect(gateway.counted('svc_credentials_total{broker="scm",outcome="refused"}')).toBe(before + 1);
    expect(gateway.upstream.seen).toEqual([]);
    expect((await last(name)).body).toMatchObject({ outcome: 'not_executed', error: fault.message });
    expect((await last(name)).body).not.toHaveProperty('approval_returned');
  });

  test('is made for the person behind the key and the version of the policy', async () => {
    const asked: unknown[] = [];
    const issue = async (...given: unknown[]) =>
      asked.push(given[2]) && Promise.reject(new GatewayError('forbidden', 'no'));
    const over = { brokers: async () => ({ issue }) };
    await faultOf(gateway.act(fresh(), calls.read, { over }));
    await faultOf(gateway.act(fresh(), calls.read, { over, key: keys.other }));
    expect(asked).toEqual([{ policyVersion: 1, person: 'bob' }, { policyVersion: 1 }]);
  });

  test('that cannot be minted gives the approval back', async () => {
    const name = fresh();
    const id = await approved(name);
    const refusing = {
      issue: () => Promise.reject(new GatewayError('forbidden', 'Not for you.', { retryAfterSeconds: 7 })),
    };
    const fault = await faultOf(gateway.act(name, calls.pull, { over: { brokers: async () => refusing } }));
    expect(fault).toMatchObject({
      ...{ code: 'forbidden', retryAfterSeconds: 7, data: { approval_ref: id, approval_returned: true } },
      message: `Not for you. Nothing was called, and approval ${id} can still be used.`,
    });
    expect((await last(name)).body).toMatchObject({ approval_returned: true, approval_ref: id });
    const row = await gateway.row(id);
    expect(row.status).toBe('approved');
    expect(row).not.toHaveProperty('lease_owner');
    expect(await gateway.act(name, calls.pull)).toMatchObject({ decision: 'allow', matched_rule: `approved:${id}` });
  });
});

describe('a failure', () => {
  const named = { tool: 'scm.list_branches', upstream: 'forge', hint: 'Look.', effect: 'none' } as const;

  test.each([
    [new Error('boom'), 'failed', 'scm.list_branches failed at notes: boom', {}],
    ['a text', 'failed', 'scm.list_branches failed at notes: a text', {}],
    [new UpstreamError('forge said no', { ...named, kind: 'invalid' }), 'failed', 'forge said no', {}],
    [
      new UpstreamError('forge is away', { ...named, kind: 'timeout' }),
      'failed',
      'forge is away',
      { upstream_down: true },
    ],
    [
      new UpstreamError('it was cut', { ...named, kind: 'cut', effect: 'unknown' }),
      'unknown',
      'it was cut',
      { upstream_down: true },
    ],
    [
      new ExecutionFault('cancelled', 'it was ended', { effect: 'unknown' }),
      'unknown',
      'scm.list_branches failed at notes: it was ended',
      {},
    ],
    // A name is not read: what an error is called says nothing of what was done.
    [
      Object.assign(new Error('as if'), { name: 'UnknownOutcome' }),
      'failed',
      'scm.list_branches failed at notes: as if',
      {},
    ],
  ])('%s is recorded and answered as what it is', async (fault, outcome, message, more) => {
    const name = fresh();
    failing(fault);
    const answer = await gateway.act(name, calls.list);
    expect(answer).toMatchObject({
      decision: 'allow',
      error: { code: -32000, message, data: { tool: 'scm.list_branches', outcome } },
    });
    const { body } = await last(name);
    expect(body).toMatchObject({ outcome, error: message, latency_ms: 0, ...more });
    expect('upstream_down' in body).toBe('upstream_down' in more);
    for (const absent of ['aborted_by', 'behavior', 'guard', 'result']) expect(body).not.toHaveProperty(absent);
  });

  test('[behavior.login-refused] of the login is noted of an agent, and not where a human approved the call', async () => {
    failing(new UpstreamError('401', { ...named, kind: 'unauthorized' }));
    const name = fresh();
    await gateway.act(name, calls.read);
    const { body } = await last(name);
    expect(JSON.stringify(body.behavior)).toContain('forge, call ');
    const updated: unknown[] = [];
    const keyRisks = { of: async () => undefined, update: async (...given: unknown[]) => void updated.push(given) };
    await gateway.act(fresh(), calls.read, { over: { keyRisks } });
    // With the decision, and once more with the outcome.
    expect(updated).toHaveLength(2);
    const byHuman = fresh();
    await approved(byHuman);
    await gateway.act(byHuman, calls.pull);
    expect((await last(byHuman)).body).not.toHaveProperty('behavior');
    const person = fresh();
    await gateway.act(person, calls.read, { key: keys.human });
    expect((await last(person)).body).not.toHaveProperty('behavior');
    // Without a credential no login was refused.
    const bare = fresh();
    await gateway.act(bare, calls.list);
    expect((await last(bare)).body).not.toHaveProperty('behavior');
  });

  test('by a cancellation names the key that cancelled; a caller who left is not named', async () => {
    const cancelled = new AbortController();
    const mode: ExecutionMode = (ports, action, hash, id) =>
      executeAction(ports, action, hash, id, { signal: cancelled.signal });
    gateway.upstream.behave = async () => {
      cancelled.abort(new Cancelled('key-7'));
      throw new Error('ended');
    };
    const name = fresh();
    await gateway.act(name, calls.list, { how: { carry: mode } });
    expect((await last(name)).body).toMatchObject({ outcome: 'failed', aborted_by: 'key-7' });
  });

  test('that is too late ends as unknown; less than five seconds before the end of its function nothing is called', async () => {
    const name = fresh();
    const called = Promise.withResolvers<void>();
    gateway.upstream.behave = () => {
      called.resolve();
      return new Promise(() => {});
    };
    const now = gateway.ports.clock.now();
    const running = gateway.act(name, { ...calls.list, hostEndsAtMs: now + 15_000 });
    await called.promise;
    gateway.timers.pass(10_000);
    gateway.timers.pass(1_000);
    expect((await running).error.data.outcome).toBe('unknown');
    const late = fresh();
    gateway.upstream.seen.length = 0;
    const fault = await faultOf(gateway.act(late, { ...calls.list, hostEndsAtMs: now + 5_000 }));
    expect(fault).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
    expect(fault.message).toContain('less than 5 seconds were left');
    expect(gateway.upstream.seen).toEqual([]);
    const free = await gateway.act(late, { ...calls.list, hostEndsAtMs: now }, { over: { executors: () => [] } });
    expect(free.decision).toBe('allow');
  });
});

describe('a result', () => {
  test('is answered and recorded without the secrets of its credential', async () => {
    const name = fresh();
    gateway.upstream.behave = async () => ({ header: gateway.upstream.seen[0]!.credential!.secret });
    const answer = await gateway.act(name, calls.read);
    expect(JSON.stringify(answer)).not.toContain('eyJ');
    expect(JSON.stringify((await last(name)).body)).not.toContain('eyJ');
  });

  test('that the guard withholds leaves a reason and its findings, bounded and counted', async () => {
    const findings = Array.from({ length: 25 }, (_, at) => ({
      ...{ kind: 'instruction', where: `$[${at}]`, severity: 'high', action: 'block', text: 'secret text' },
    }));
    const series = 'svc_tool_guard_findings_total{place="result",kind="instruction",action="block"}';
    const before = gateway.counted(series);
    gateway.upstream.behave = async ({ onNotes }) => {
      onNotes?.({ findings: findings as never, withheld: true });
      return { text: 'bad' };
    };
    const name = fresh();
    const answer = await gateway.act(name, calls.list);
    expect(answer).toMatchObject({ decision: 'allow', result_withheld: 'tool_guard' });
    expect(answer).not.toHaveProperty('result');
    const { body } = await last(name);
    expect(body.guard).toHaveLength(20);
    expect(body.guard[0]).toEqual({ kind: 'instruction', where: '$[0]', severity: 'high', action: 'block' });
    expect(body).toMatchObject({ outcome: 'executed', result_withheld: 'tool_guard' });
    expect(gateway.counted(series)).toBe(before + 25);
  });

  test('that the guard only noted is answered', async () => {
    const findings = [{ kind: 'link', where: '$', severity: 'low', action: 'note' }] as never;
    gateway.upstream.behave = async ({ onNotes }) => {
      onNotes?.({ findings, withheld: false });
      return { text: 'fine' };
    };
    const name = fresh();
    expect((await gateway.act(name, calls.list)).result).toEqual({ text: 'fine' });
    expect((await last(name)).body.guard).toHaveLength(1);
  });

  test('that JSON cannot carry is withheld with the reason, and the outcome is recorded', async () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 20_000; depth++) deep = [deep];
    gateway.upstream.behave = async () => deep;
    const name = fresh();
    expect(await gateway.act(name, calls.list)).toMatchObject({ decision: 'allow', result_withheld: 'not_json' });
    expect((await last(name)).body).toMatchObject({ outcome: 'executed', result_withheld: 'not_json' });
  });

  test('[provenance.session] that could not be remembered is not handed on, and the outcome is recorded', async () => {
    const sources = await open({
      toolPolicies:
        '{ pack: null, default_decision: allow, rules: [{ protocol: git, tool: "scm.*", decision: allow, arguments: { to: { source: trusted } } }] }',
    });
    const provenance = Object.setPrototypeOf(
      { open: () => Promise.reject(new GatewayError('service_unavailable', 'not remembered')) },
      sources.ports.provenance!,
    );
    sources.upstream.behave = async () => ({ text: 'a longer text of the upstream' });
    const fault = await faultOf(sources.act('seen', calls.list, { over: { provenance } }));
    expect(fault.code).toBe('service_unavailable');
    expect(await sources.kinds('seen')).toEqual(['allow', 'result']);
  });
});

describe('the lease of an approval', () => {
  test('is renewed while the call runs, and a renewal that fails ends nothing', async () => {
    const name = fresh();
    const id = await approved(name);
    const called = Promise.withResolvers<void>();
    const release = Promise.withResolvers<unknown>();
    gateway.upstream.behave = () => {
      called.resolve();
      return release.promise;
    };
    const renewed: unknown[] = [];
    const approvals = Object.setPrototypeOf(
      {
        renewLease: async (...given: unknown[]) => {
          renewed.push(given);
          if (renewed.length > 1) throw new Error('no store');
        },
      },
      gateway.ports.approvals,
    );
    const running = gateway.act(name, calls.pull, { over: { approvals } });
    await called.promise;
    gateway.pass(40);
    gateway.timers.pass(40_000);
    gateway.timers.pass(40_000);
    release.resolve({ pr: 1 });
    const { envelope_id } = await running;
    const ends = isoTime(gateway.ports.clock.now() + 120_000);
    expect(renewed).toEqual([
      [{ approval: id, tenant: 'default', owner: envelope_id }, ends],
      [{ approval: id, tenant: 'default', owner: envelope_id }, ends],
    ]);
    expect(gateway.lines.join('\n')).toContain('a lease was not renewed');
    gateway.timers.pass(40_000);
    expect(renewed).toHaveLength(2);
  });

  test('that the sweep has ended meanwhile is a conflict', async () => {
    const name = fresh();
    const id = await approved(name);
    const ports = gateway.ports;
    let action: Parameters<typeof recordOutcome>[1] | undefined;
    const carry: ExecutionMode = async (_, given) => {
      action = given;
      await recordOutcome(ports, given, { outcome: 'unknown', kept: {} }, id, []);
      return { decision: 'allow' } as never;
    };
    await gateway.act(name, calls.pull, { how: { carry } });
    const fault = await faultOf(recordOutcome(ports, action!, { outcome: 'executed', kept: {} }, id, []));
    expect(fault).toMatchObject({
      ...{ code: 'conflict' },
      message: `The lease on approval ${id} ended before the outcome was recorded; it is recorded as unknown.`,
    });
  });
});
