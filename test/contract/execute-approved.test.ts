/** `on_approval: execute`, and approved calls that could not be made. */
import { settle } from '#core/approvals/steps.ts';
import { sweepApprovals } from '#core/approvals/sweep.ts';
import type { ChatCall } from '#core/chat/call.ts';
import { governReply } from '#core/chat/tool-use.ts';
import { storeVersion } from '#core/configuration/store/versions.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Timeouts } from '#core/kernel/ports.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { stepPorts } from '#lambdas/step-ports.ts';
import { configuration, keys, type TestPorts, testPorts } from '../support/ports.ts';
import { pull, withCalls } from '../support/use-gateway.ts';
import { useStarted } from '../support/use-started.ts';

const executes = 'approvals: { on_approval: execute }\nbehavior: { kill_switch_score: 40 }\n';

let runs: number;
let minting: () => Promise<void>;
beforeEach(() => {
  runs = 0;
  minting = async () => {};
});
const gateway = useStarted(async () => {
  const executor = { name: 'git', handles: () => true, execute: async () => ({ run: ++runs }) };
  const made = await testPorts({ extra: executes, executors: [executor] });
  const brokers: TestPorts['ports']['brokers'] = async (name) => {
    const broker = await made.ports.brokers(name);
    return broker && { ...broker, issue: async (...given) => minting().then(() => broker.issue(...given)) };
  };
  return withCalls({ ...made, ports: { ...made.ports, brokers } });
}, 'test');
const { approve, entriesOf } = gateway;
const act = (session: string, call: object = pull) => gateway.act({ ...call, actor: { session } });

async function approved(session: string): Promise<string> {
  const { envelope_id } = (await act(session)).body;
  await approve(envelope_id);
  return envelope_id;
}

/** Changes the configuration from another process; instances notice within five seconds. */
async function configure(change: (yaml: string) => string): Promise<void> {
  const { configStore, objects, clock, packs } = gateway.ports;
  const loaded = await loadConfiguration(change(configuration(executes)), { packs });
  await storeVersion({ configStore, objects, clock }, loaded.configuration, 'test', 'file');
  gateway.pass(6);
}

const blockedBy = (session: string) => async () => {
  for (let tries = 0; tries < 20; tries++) {
    const remove = { protocol: 'shell', tool: 'shell.rm', target: `/srv/data-${tries}`, capability: 'execute' };
    const { status } = await act(session, remove);
    if (status === 403) return;
  }
  throw new Error('the kill switch did not trip');
};

const rule = (decision: string) =>
  `tool_policies: { pack: pr-writer, rules: [{ protocol: git, tool: "scm.create_pull*", decision: ${decision} }] }`;
const regrant = () =>
  configure((yaml) =>
    yaml.replace(
      'tool_policies: { pack: pr-writer }',
      'tool_policies: { pack: pr-writer, rules: [{ protocol: git, tool: scm.create_pull_request, decision: review, credential: { broker: scm, scope: "contents:write" } }] }',
    ),
  );
const own = (decision: string) => () =>
  configure((yaml) => yaml.replace('tool_policies: { pack: pr-writer }', rule(decision)));
const line = (start: string) => new RegExp(`^ *${start}.*\\n`, 'm');

const withoutAlice = () =>
  configure((yaml) => yaml.replace(line('- \\{ id: alice'), '').replace(line('- \\{ key: human-key'), ''));

test.each([
  ['the kill switch tripped', 'session_blocked', blockedBy],
  [
    'its key was revoked',
    'key_revoked',
    () => () => configure((yaml) => yaml.replace(line('- \\{ key: agent-key-1'), '')),
  ],
  [
    'its tenant was removed',
    'tenant_removed',
    () => () => configure((yaml) => yaml.replace('id: default', 'id: other')),
  ],
  ['a rule blocks it now', 'policy_block', () => own('block')],
  ['a rule allows it now', 'policy_changed', () => own('allow')],
  ['another rule reviews it now', 'policy_changed', () => own('review')],
  ['its rule grants another credential now', 'policy_changed', () => regrant],
  ['the person who approved it was removed', 'policy_changed', () => withoutAlice],
])(
  '[approval.execute-asks-again] when %s, the approved call is not made, and evidence records why',
  async (_, because, change) => {
    const id = await approved('again');
    await change('again')();
    expect((await settle(stepPorts(gateway.ports), id)).status).toBe('consumed');
    expect(runs).toBe(0);
    expect(await gateway.ports.approvals.find(id)).toMatchObject({ outcome: 'not_executed', refused_because: because });
    const last = (await entriesOf('again')).at(-1);
    expect(last).toMatchObject({ kind: 'block', body: { approval_ref: id, refused_because: because } });
    expect(last!.body.reason).toEqual(expect.any(String));
    // A repetition changes nothing, and no caller gets a response that says the call was made.
    await settle(stepPorts(gateway.ports), id);
    if (because !== 'policy_changed') expect((await act('again')).body.result).toBeUndefined();
  },
);

test("[approval.execute-asks-again] the call is not made if a person's key was revoked and the session has no owner", async () => {
  const asked = await gateway.act({ ...pull, actor: { session: 'of-bob' } }, keys.owner);
  const id = asked.body.envelope_id;
  await approve(id);
  await configure((yaml) => yaml.replace(line('- \\{ key: owner-key-1'), ''));
  await settle(stepPorts(gateway.ports), id);
  expect(runs).toBe(0);
  expect(await gateway.ports.approvals.find(id)).toMatchObject({ refused_because: 'key_revoked' });
});

test('[approval.bound] an approval cannot be used with a credential other than the one on the card', async () => {
  const approval_ref = await approved('regranted');
  await regrant();
  const { body } = await act('regranted', { ...pull, approval_ref });
  expect(body).toMatchObject({ decision: 'review', error: { data: { reason: 'policy_changed' } } });
  expect([runs, body.envelope_id === approval_ref]).toEqual([0, false]);
});

test('[approval.given-back] a call whose credential cannot be issued stays approved and is made later', async () => {
  const id = await approved('mint');
  minting = () => Promise.reject(new GatewayError('service_unavailable', 'The issuer is down.'));
  await expect(settle(stepPorts(gateway.ports), id)).rejects.toThrow('can still be used');
  expect(runs).toBe(0);
  const row = await gateway.ports.approvals.find(id);
  expect(row).toMatchObject({ status: 'approved' });
  expect([row!.lease_owner, row!.lease_expires_at, row!.executed_by, row!.outcome]).toEqual(Array(4).fill(undefined));
  const [allow, result] = (await entriesOf('mint')).slice(-2);
  expect([allow!.kind, result!.kind]).toEqual(['allow', 'result']);
  expect(result!.body).toMatchObject({ outcome: 'not_executed', approval_ref: id, approval_returned: true });

  minting = async () => {};
  await settle(stepPorts(gateway.ports), id);
  expect([runs, (await gateway.ports.approvals.find(id))!.outcome]).toEqual([1, 'executed']);
});

test('[approval.given-back] a caller whose call fails before running can still use its approval until it expires', async () => {
  const { envelope_id: id } = (await act('mine')).body;
  await approve(id);
  minting = () => Promise.reject(new GatewayError('service_unavailable', 'The issuer is down.'));
  const failed = await act('mine', { ...pull, approval_ref: id });
  expect(failed.status).toBeGreaterThanOrEqual(500);
  minting = async () => {};
  expect((await act('mine', { ...pull, approval_ref: id })).body).toMatchObject({
    decision: 'allow',
    matched_rule: `approved:${id}`,
    result: { run: 1 },
  });
  // The approval has been used: repeating the call returns the stored result.
  expect((await act('mine', { ...pull, approval_ref: id })).body).toMatchObject({
    decision: 'allow',
    result: { run: 1 },
  });
  expect(runs).toBe(1);
});

test('[approval.given-back] a returned approval still expires at its original time', async () => {
  const id = await approved('late');
  minting = () => Promise.reject(new GatewayError('service_unavailable', 'The issuer is down.'));
  await settle(stepPorts(gateway.ports), id).catch(() => {});
  minting = async () => {};
  gateway.pass(1801);
  expect((await act('late', { ...pull, approval_ref: id })).body).toMatchObject({
    decision: 'review',
    error: { data: { reason: 'expired' } },
  });
  expect(runs).toBe(0);
});

test('[approval.lease] a call that outlasts its lease renews the lease, and its outcome is recorded', async () => {
  const id = await approved('long');
  const due: (() => void)[] = [];
  const timeouts: Timeouts = {
    after: (ms, work) => {
      if (ms === 40_000) due.push(work); // a third of the lease time
      return () => {};
    },
  };
  let done: (value: object) => void = () => {};
  let began = false;
  const execute = () => {
    began = true;
    return new Promise((resolve) => {
      done = resolve;
    });
  };
  const ports = { ...gateway.ports, timeouts, executors: () => [{ name: 'slow', handles: () => true, execute }] };
  const running = settle(stepPorts(ports), id);
  while (!began) await new Promise(setImmediate);
  for (let third = 0; third < 6; third++) {
    gateway.pass(40);
    const before = (await gateway.ports.approvals.find(id))!.lease_expires_at;
    due.shift()!();
    while ((await gateway.ports.approvals.find(id))!.lease_expires_at === before) await new Promise(setImmediate);
    expect(await sweepApprovals(stepPorts(gateway.ports))).toMatchObject({ leases_ended: 0 });
  }
  done({ ok: true });
  await running;
  expect(await gateway.ports.approvals.find(id)).toMatchObject({ status: 'consumed', outcome: 'executed' });
});

test("[approval.on-approval.execute] a tool call run by the model's client is approved, and never run by the gateway", async () => {
  const snapshot = await gateway.ports.snapshots.current();
  const principal = [...snapshot.identities.byKeyId.values()].find(({ kind }) => kind === 'agent')!;
  const chat = { snapshot, principal, sessionId: 'of-a-model', body: {} } as ChatCall;
  const use = {
    type: 'tool_use',
    id: 't',
    name: 'scm.create_pull_request',
    input: { title: 'Fix', head: 'fix', base: 'main' },
  };
  const governed = async () =>
    JSON.stringify(await governReply(gateway.ports, chat, { content: [use], stop_reason: 'tool_use' }));
  const id = /envelope ([0-9a-f-]{36})/.exec(await governed())![1]!;
  await approve(id);
  expect((await settle(stepPorts(gateway.ports), id)).status).toBe('approved');
  expect(runs).toBe(0);
  // The client gets its call once, and the next call needs a person's approval again.
  expect(await governed()).toContain('"tool_use"');
  expect(await governed()).toMatch(/needs a human's approval/);
  expect(runs).toBe(0);
});

test('[approval.on-approval.execute] while the gateway makes the call, an identical call waits for the same approval and does not request another', async () => {
  const id = await approved('under-way');
  let done: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    done = resolve;
  });
  minting = () => gate;
  const running = settle(stepPorts(gateway.ports), id);
  while ((await gateway.ports.approvals.find(id))?.status !== 'executing') await new Promise(setImmediate);
  const { body } = await act('under-way');
  expect([body.decision, body.envelope_id]).toEqual(['review', id]);
  expect(body.error.data.reason).toBe('executing');
  done();
  await running;
  expect((await gateway.call('GET', '/admin/v1/approvals', { key: keys.human })).body.pending).toEqual([]);
  expect((await act('under-way')).body).toMatchObject({ decision: 'allow', result: { run: 1 } });
  expect(runs).toBe(1);
});

test('[approval.on-approval.execute] a caller that runs the call before the state machine does leaves the result for identical calls', async () => {
  const id = await approved('caller-first');
  const first = (await act('caller-first')).body;
  expect(first).toMatchObject({ decision: 'allow', matched_rule: `approved:${id}`, result: { run: 1 } });
  await settle(stepPorts(gateway.ports), id);
  expect((await act('caller-first')).body).toMatchObject({ decision: 'allow', result: { run: 1 } });
  expect(runs).toBe(1);
  const kinds = (await entriesOf('caller-first')).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'allow' || kind === 'result')).toEqual(['allow', 'result']);
});
