/**
 * `core/actions` without HTTP: a gateway over the store in memory, one upstream that a test scripts, votes of alice, and timers
 * that are wound by hand.
 */
import { govern } from '#core/actions/govern.ts';
import { decideApproval } from '#core/approvals/vote.ts';
import { authenticate } from '#core/configuration/identity/authenticate.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { ActionEnvelope, DecisionResult } from '#core/contracts/envelope.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { IssuedCredential } from '#core/execution/credentials/ports.ts';
import type { ExecuteOptions, Executor } from '#core/execution/executors/ports.ts';
import type { GatewayError } from '#core/kernel/errors.ts';
import type { Loose } from './loose.ts';
import { keys, type TestOptions, testPorts } from './ports.ts';
import { woundTimeouts } from './wound-timeouts.ts';

/** Allowed without a grant, allowed with one, held for review with one, and blocked under the pack `pr-writer`. */
export const calls = {
  list: { protocol: 'git', tool: 'scm.list_branches', target: 'acme/web', capability: 'read' },
  read: { protocol: 'git', tool: 'scm.get_file_contents', target: 'acme/web', capability: 'read' },
  pull: {
    ...{ protocol: 'git', tool: 'scm.create_pull_request', target: 'acme/web', capability: 'write' },
    parameters: { title: 'Fix', head: 'fix', base: 'main' },
  },
  remove: { protocol: 'shell', tool: 'shell.rm', target: 'build', capability: 'execute' },
} as const;

type How = Parameters<typeof govern>[4];

interface Beside {
  readonly key?: string;
  readonly how?: How;
  /** Ports in place of the usual ones. */
  readonly over?: Loose;
}

export type Governing = Awaited<ReturnType<typeof governing>>;

/** One gateway with the tenants, keys and grants of `testPorts`. */
async function governing(options: TestOptions = {}) {
  const upstream = scriptedUpstream();
  const gateway = await testPorts({ executors: [upstream.executor], ...options });
  const timers = woundTimeouts();
  const ports = { ...gateway.ports, timeouts: timers };
  const { identities } = await ports.snapshots.current();
  const principal = (key: string = keys.agent) => authenticate({ 'x-api-key': key }, identities);

  const act = (session: string, request: Loose, { key, how, over }: Beside = {}): Promise<DecisionResult & Loose> =>
    govern({ ...ports, ...over }, principal(key), session, request as never, how);

  const row = async (id: string): Promise<ApprovalRow> => (await ports.approvals.find(id))!;

  const vote = async (id: string, verdict: 'approve' | 'deny', comment = ''): Promise<ApprovalRow> =>
    decideApproval(ports, await row(id), {
      ...{ verdict, comment, person: 'alice', reviewer: 'alice', key_id: principal(keys.human).key_id },
      ...{ channel: 'http', channels: [], useSeconds: 600 },
    });

  const entries = async (session: string): Promise<(EvidenceEntry & { readonly body: Loose })[]> => {
    const found: EvidenceEntry[] = [];
    for await (const entry of ports.evidence.entries('default', session)) found.push(entry);
    return found;
  };

  /** How often a metric was counted, by its name with its labels. */
  const counted = (series: string): number => {
    const line = gateway.telemetry
      .metricsText()
      .split('\n')
      .find((each) => each.startsWith(`${series} `));
    return Number(line?.split(' ').at(-1) ?? 0);
  };

  return {
    ...{ ports, upstream, timers, principal, act, row, vote, entries, counted },
    ...{ started: gateway.started, lines: gateway.lines, pass: gateway.pass, stop: gateway.stop },
    kinds: async (session: string) => (await entries(session)).map(({ kind }) => kind),
  };
}

/** Opens gateways that are stopped after the tests of the file, also where a test fails. */
export function openGateways(): (options?: TestOptions) => Promise<Governing> {
  const opened: Governing[] = [];
  afterAll(() => Promise.all(opened.map((gateway) => gateway.stop())));
  return async (options) => {
    const gateway = await governing(options);
    opened.push(gateway);
    return gateway;
  };
}

/** An executor of every call over Git that does what `behave` says, and keeps what it was given. */
function scriptedUpstream() {
  const state = {
    seen: [] as { readonly envelope: ActionEnvelope; readonly credential: IssuedCredential | undefined }[],
    behave: async (_options: ExecuteOptions): Promise<unknown> => ({ done: true }),
    executor: {} as Executor,
  };
  state.executor = {
    name: 'notes',
    handles: ({ protocol }) => protocol === 'git',
    execute: async (envelope, credential, options = {}) => {
      state.seen.push({ envelope, credential });
      return state.behave(options);
    },
  };
  return state;
}

/** The fault that a call ends with. */
export const faultOf = async (work: Promise<unknown>): Promise<GatewayError & Loose> =>
  work.then(
    () => Promise.reject(new Error('it did not fail')),
    (fault: GatewayError & Loose) => fault,
  );
