/** Calls whose policy, approval or session changes between reading and writing. */
import { executeApproved } from '#core/actions/execute-approved.ts';
import { govern } from '#core/actions/govern.ts';
import { sweepApprovals } from '#core/approvals/sweep.ts';
import { authenticate } from '#core/configuration/identity/authenticate.ts';
import { stepPorts } from '#lambdas/step-ports.ts';
import { caller } from '../support/call-endpoint.ts';
import type { Loose } from '../support/loose.ts';
import { keys } from '../support/ports.ts';
import { pull, useGateway } from '../support/use-gateway.ts';

const list = { protocol: 'git', tool: 'scm.list_branches', target: 'acme/web', capability: 'read' };

const executor = { name: 'git', handles: () => true, execute: async () => behave().then(() => ({ run: ++runs })) };
let runs: number;
let behave: () => Promise<void>;
const gateway = useGateway({ executors: [executor] });
const { entriesOf, approve } = gateway;
beforeEach(() => {
  runs = 0;
  behave = async () => {};
});

const act = (session: string, call: object, over: Loose = {}, idempotencyKey = '') =>
  caller({ ...gateway.ports, ...over })('POST', '/admin/v1/test-action', {
    key: keys.agent,
    body: { ...call, actor: { session } },
    ...(idempotencyKey !== '' && { headers: { 'idempotency-key': idempotencyKey } }),
  });
const approved = async (session: string, over?: Loose): Promise<string> => {
  const { envelope_id } = (await act(session, pull, over)).body;
  await approve(envelope_id);
  return envelope_id;
};
/** Returns a port with some of its functions replaced. */
const replaced = (port: object, over: object) => Object.setPrototypeOf(over, port);

test('[behavior.rules] if a session is stopped while a decision is being written, its call is not made and is recorded as not executed', async () => {
  const { ledger } = gateway.ports;
  const commit = async (step: Parameters<typeof ledger.commit>[0]) => {
    const outcome = await ledger.commit(step);
    const risk = { score: 90, rule: 'exfiltration' };
    return outcome.ok && step.draft.kind === 'allow' ? { ...outcome, head: { ...outcome.head, risk } } : outcome;
  };
  const { status, body } = await act('outran', list, { ledger: { ...ledger, commit } });
  expect([status, body.error.type, runs]).toEqual([403, 'session_blocked', 0]);
  const [, ended] = await entriesOf('outran');
  expect(ended).toMatchObject({ kind: 'result', body: { outcome: 'not_executed' } });
  expect(await gateway.ports.startedActions.due('9999', 10)).toEqual([]);
});

describe('[action.idempotency-key] a request whose first attempt started a moment earlier', () => {
  const startedActions = () => ({ ...gateway.ports.startedActions, get: async () => undefined });

  test('returns the first outcome', async () => {
    await act('twice', list, {}, 'k-1');
    const again = await act('twice', list, { startedActions: startedActions() }, 'k-1');
    expect([again.body.replayed, again.body.result, runs]).toEqual([true, { run: 1 }, 1]);
  });

  test('returns the first outcome under a different approval as well', async () => {
    await approved('twice-approved');
    const first = await act('twice-approved', pull, {}, 'k-2');
    await approved('twice-approved');
    const again = await act('twice-approved', pull, { startedActions: startedActions() }, 'k-2');
    expect(again.body).toMatchObject({ replayed: true, envelope_id: first.body.envelope_id });
    expect(runs).toBe(1);
  });
});

test('[approval.lease] a call that ends after the sweep has closed its lease returns a conflict', async () => {
  const id = await approved('lease');
  behave = async () => {
    gateway.pass(600);
    await sweepApprovals(stepPorts(gateway.ports));
  };
  const { status, body } = await act('lease', pull);
  expect([status, body.error.message]).toEqual([
    409,
    `The lease on approval ${id} ended before the outcome was recorded; it is recorded as unknown.`,
  ]);
  expect(await gateway.ports.approvals.find(id)).toMatchObject({ status: 'consumed', outcome: 'unknown' });
});

test('[approval.on-approval.execute] a held call returns the result if the gateway is executing its approval at that moment', async () => {
  const { approvals, snapshots } = gateway.ports;
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  behave = () => {
    begun.resolve();
    return released.promise;
  };
  let taken: Promise<unknown> | undefined;
  const get = async (tenant: string, id: string) => {
    const read = await approvals.get(tenant, id);
    if (read?.status !== 'approved' || taken) return read;
    taken = executeApproved(gateway.ports, read);
    await begun.promise;
    return read;
  };
  const pause = async () => {
    if (!taken) return void (await approve((await entriesOf('held'))[0]!.envelope_id));
    released.resolve();
    await taken;
  };
  const principal = authenticate({ 'x-api-key': keys.agent }, (await snapshots.current()).identities);
  const ports = { ...gateway.ports, pause, approvals: replaced(approvals, { get }) };
  expect(await govern(ports, principal, 'held', pull as never, { wait: { holdSeconds: 60 } })).toMatchObject({
    decision: 'allow',
    result: { run: 1 },
  });
  expect(runs).toBe(1);
});

test('[approval.on-approval.execute] a held call returns the result if the gateway executed its approval a moment earlier', async () => {
  const { approvals, snapshots } = gateway.ports;
  const get = async (tenant: string, id: string) => {
    const read = await approvals.get(tenant, id);
    if (read?.status === 'approved') await executeApproved(gateway.ports, read);
    return read;
  };
  const pause = async () => void (await approve((await entriesOf('held-late'))[0]!.envelope_id));
  const principal = authenticate({ 'x-api-key': keys.agent }, (await snapshots.current()).identities);
  const ports = { ...gateway.ports, pause, approvals: replaced(approvals, { get }) };
  expect(await govern(ports, principal, 'held-late', pull as never, { wait: { holdSeconds: 60 } })).toMatchObject({
    decision: 'allow',
    result: { run: 1 },
  });
  expect(runs).toBe(1);
});

test('[approval.execute-asks-again] an approved call is not made if its tool definition has changed since the approval', async () => {
  const at = (definition: string) => {
    const place = async () => ({ upstream: 'forge', upstream_tool: 'pull', definition });
    return { executors: () => [{ ...executor, place }] };
  };
  const row = (await gateway.ports.approvals.find(await approved('defined', at('a'))))!;
  await executeApproved({ ...gateway.ports, ...at('b') }, row);
  expect((await entriesOf('defined')).at(-1)).toMatchObject({
    kind: 'block',
    body: {
      refused_because: 'upstream_changed',
      reason: expect.stringContaining('Relevant parts of the definition of scm.create_pull'),
    },
  });
  const same = (await gateway.ports.approvals.find(await approved('defined-alike', at('a'))))!;
  expect(await executeApproved({ ...gateway.ports, ...at('a') }, same)).toMatchObject({ outcome: 'executed' });
  expect(runs).toBe(1);
});
