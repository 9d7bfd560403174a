/** The flow of one call without HTTP: what is decided, what is written before anything is done, and what is counted. */
import { sheetOfFirstRequest } from '#core/session/tasks/first-request.ts';
import { calls, faultOf, type Governing, openGateways } from '../../support/governing.ts';
import { keys } from '../../support/ports.ts';

const open = openGateways();
let gateway: Governing;
beforeAll(async () => {
  gateway = await open();
});
beforeEach(() => {
  gateway.upstream.seen.length = 0;
  gateway.upstream.behave = async () => ({ done: true });
});

const tripped = { score: 90, rule: 'exfiltration' };
const keyRisks = { of: async () => tripped, update: async () => {} };

describe('what is decided', () => {
  test('an allowed call leaves its decision before it is carried out, and its outcome after', async () => {
    const before: string[][] = [];
    gateway.upstream.behave = async () => {
      before.push(await gateway.kinds('allowed'));
      return { branches: 2 };
    };
    const series = 'svc_policy_decisions_total{decision="allow",protocol="git"}';
    const counted = gateway.counted(series);
    const answer = await gateway.act('allowed', { ...calls.list, justification: 'why not' });
    expect(answer).toMatchObject({
      ...{
        decision: 'allow',
        matched_rule: 'git:scm.{list,search,compare}_*',
        policy: 'pr-writer',
        session_id: 'allowed',
      },
      result: { branches: 2 },
    });
    expect(before).toEqual([['allow']]);
    const [decided, ended] = await gateway.entries('allowed');
    expect(decided).toMatchObject({
      ...{ kind: 'allow', hash: answer.evidence_hash, envelope_id: answer.envelope_id },
      body: { tool: 'scm.list_branches', parameters: {}, justification: 'why not', policy_version: 1 },
    });
    expect(decided!.body).not.toHaveProperty('break_glass');
    expect(ended).toMatchObject({ kind: 'result', body: { outcome: 'executed', result: { branches: 2 } } });
    expect(gateway.counted(series)).toBe(counted + 1);
  });

  test('a blocked call says why and what would do instead, and is not carried out', async () => {
    const answer = await gateway.act('blocked', { ...calls.remove, target: '' });
    expect(answer).toMatchObject({
      decision: 'block',
      error: { message: 'shell.rm on no target is blocked by policy pr-writer.', data: { reason: expect.any(String) } },
    });
    expect(await gateway.kinds('blocked')).toEqual(['block']);
    expect(gateway.upstream.seen).toEqual([]);
  });

  test('a protocol that the gateway does not know is counted with the others', async () => {
    const series = 'svc_policy_decisions_total{decision="review",protocol="other"}';
    const counted = gateway.counted(series);
    await gateway.act('odd', { ...calls.list, protocol: 'Telnet-9000' });
    expect(gateway.counted(series)).toBe(counted + 1);
  });

  test.each([
    ['allow', calls.list, {}],
    ['block', calls.remove, { error: { code: -32001 } }],
    ['review', calls.pull, { error: { message: "scm.create_pull_request would need a human's approval." } }],
  ])('a dry run answers %s, writes nothing and is not counted', async (decision, call, more) => {
    const series = `svc_policy_decisions_total{decision="${decision}",protocol="git"}`;
    const before = gateway.counted(series);
    const answer = await gateway.act(`dry-${decision}`, { ...call, dry_run: true });
    expect(answer).toMatchObject({ decision, dry_run: true, ...more });
    expect(answer).not.toHaveProperty('evidence_hash');
    expect('error' in answer).toBe(decision !== 'allow');
    expect(await gateway.kinds(`dry-${decision}`)).toEqual([]);
    expect(gateway.counted(series)).toBe(before);
  });

  test('[behavior.probing] trial calls that are not allowed are noted, of agents only', async () => {
    const noted: unknown[] = [];
    const taken: unknown[] = [];
    const probes = {
      note: (...given: unknown[]) => void noted.push(given),
      take: (...given: unknown[]) => taken.push(given) * 0,
    };
    const over = { probes };
    await gateway.act('probe', { ...calls.list, dry_run: true }, { over });
    await gateway.act('probe', { ...calls.pull, dry_run: true }, { over, key: keys.human });
    expect([noted, taken]).toEqual([[], []]);
    await gateway.act('probe', { ...calls.pull, dry_run: true }, { over });
    const { key_id } = gateway.principal();
    const now = gateway.ports.clock.now();
    expect(noted).toEqual([['default', key_id, now, 30 * 60_000]]);
    await gateway.act('probe', calls.list, { over });
    expect(taken).toEqual([['default', key_id, expect.any(Number), now, 30 * 60_000]]);
  });

  test('another key may not go on with the session of an agent; the try leaves no entry', async () => {
    await gateway.act('mine', calls.list);
    expect((await faultOf(gateway.act('mine', calls.list, { key: keys.other }))).code).toBe('forbidden');
    expect((await gateway.kinds('mine')).length).toBe(2);
    await gateway.act('of-a-person', calls.list, { key: keys.human });
    await gateway.act('of-a-person', calls.list, { key: keys.human });
    expect((await faultOf(gateway.act('of-a-person', calls.list))).code).toBe('forbidden');
  });
});

describe('where a call goes', () => {
  const elsewhere = { ...calls.list, upstream: 'elsewhere' };

  test('a server that does not serve the tool is refused, and a dry run answers what would be decided', async () => {
    expect(await faultOf(gateway.act('place', elsewhere))).toMatchObject({
      ...{ code: 'no_upstream', data: { tool: 'scm.list_branches', upstream: 'elsewhere' } },
    });
    expect(await gateway.act('place', { ...elsewhere, dry_run: true })).toMatchObject({
      ...{ decision: 'allow', upstream: 'elsewhere' },
    });
  });

  test('[action.unplaced-blocked] what the policy blocks is blocked wherever it runs', async () => {
    const answer = await gateway.act('place-2', { ...calls.remove, upstream: 'elsewhere' });
    expect(answer).toMatchObject({ decision: 'block', upstream: 'elsewhere' });
  });

  test('the executor that places the tool names its server; the first that takes a call without a place ends the search', async () => {
    const placed: string[] = [];
    const first = {
      name: 'first',
      place: async ({ tool }: { tool: string }) => {
        placed.push(tool);
        return tool === 'scm.list_branches' ? { upstream: 'forge', upstream_tool: 'branches' } : undefined;
      },
      handles: () => false,
      execute: async () => ({}),
    };
    const last = { ...first, name: 'last', place: async () => ({ upstream: 'never' }) };
    const over = { executors: () => [first, gateway.upstream.executor, last] };
    const answer = await gateway.act('place-3', { ...calls.list, upstream: 'forge' }, { over });
    expect(answer).toMatchObject({ decision: 'allow', upstream: 'forge', result: { done: true } });
    const [decided, ended] = await gateway.entries('place-3');
    expect(decided!.body).toMatchObject({ upstream: 'forge', upstream_tool: 'branches' });
    expect(ended!.body).toMatchObject({ upstream: 'forge' });
    expect(await gateway.act('place-3', calls.read, { over })).not.toHaveProperty('upstream');
    expect(placed).toEqual(['scm.list_branches', 'scm.get_file_contents']);
  });
});

describe('the kill switch', () => {
  test('a key at the score is refused with evidence; a dry run without', async () => {
    const fault = await faultOf(gateway.act('stop', calls.list, { over: { keyRisks } }));
    expect(fault).toMatchObject({
      code: 'session_blocked',
      data: { decision: 'block', matched_rule: 'behavior:exfiltration', score: 90, evidence_hash: expect.any(String) },
    });
    const [entry] = await gateway.entries('stop');
    expect(entry).toMatchObject({ kind: 'block', hash: fault.data.evidence_hash, envelope_id: fault.data.envelope_id });
    const dry = await faultOf(gateway.act('stop', { ...calls.list, dry_run: true }, { over: { keyRisks } }));
    expect(dry.code).toBe('session_blocked');
    expect(dry.data).not.toHaveProperty('evidence_hash');
    expect((await gateway.kinds('stop')).length).toBe(1);
    expect(gateway.upstream.seen).toEqual([]);
  });

  test('people are not scored', async () => {
    expect(await gateway.act('person', calls.list, { key: keys.human, over: { keyRisks } })).toMatchObject({
      decision: 'allow',
    });
    expect((await gateway.entries('person'))[0]!.body).not.toHaveProperty('behavior');
  });

  test('a call that another one outran is not carried out, and its entry ends as not executed', async () => {
    const { commit } = gateway.ports.ledger;
    const ledger = {
      ...gateway.ports.ledger,
      commit: async (step: Parameters<typeof commit>[0]) => {
        const outcome = await gateway.ports.ledger.commit(step);
        return outcome.ok && step.draft.kind === 'allow'
          ? { ...outcome, head: { ...outcome.head, risk: tripped } }
          : outcome;
      },
    };
    const fault = await faultOf(gateway.act('outran', calls.list, { over: { ledger } }));
    expect(fault).toMatchObject({ code: 'session_blocked', data: { matched_rule: 'behavior:exfiltration' } });
    expect(gateway.upstream.seen).toEqual([]);
    const [, ended] = await gateway.entries('outran');
    expect(ended!.body).toMatchObject({ outcome: 'not_executed', error: expect.stringContaining('is blocked') });
    expect(await gateway.ports.startedActions.due('9999', 10)).toEqual([]);
  });

  test('a call that itself reaches the score is blocked and counted against its key', async () => {
    const updated: unknown[] = [];
    const low = await open({ extra: 'behavior: { kill_switch_score: 1 }' });
    const risks = { of: async () => undefined, update: async (...given: unknown[]) => void updated.push(given) };
    const upload = {
      ...{ protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute' },
      parameters: { command: 'sudo chmod u+s /bin/bash' },
    };
    const fault = await faultOf(low.act('self', upload, { over: { keyRisks: risks } }));
    expect(fault).toMatchObject({
      code: 'session_blocked',
      data: { matched_rule: expect.stringMatching(/^behavior:/) },
    });
    expect(await low.kinds('self')).toEqual(['block']);
    expect(updated).toEqual([['default', low.principal().key_id, expect.any(Function)]]);
  });
});

describe('a call whose task sheet begins with its prompt', () => {
  test('the sheet stands in the first entry of the session and in no later one', async () => {
    const own = await open({ extra: 'manifests: { first_request: narrow }' });
    const prompt = 'Read the file README.md in acme/web and list the branches of acme/web.';
    await own.act('sheet', { ...calls.list, prompt });
    await own.act('sheet', { ...calls.list, prompt: 'something else' });
    const sheet = sheetOfFirstRequest(prompt);
    const [first, , second] = await own.entries('sheet');
    expect(first!.body.first_request).toEqual(JSON.parse(JSON.stringify(sheet)));
    expect(second!.body).not.toHaveProperty('first_request');
  });
});

describe('large calls', () => {
  const large = { ...calls.list, parameters: { note: 'x '.repeat(20_000) } };

  test('the turn is given up between the steps of a large call, and not of a small one', async () => {
    const pauses: number[] = [];
    const over = { pause: async (ms: number) => void pauses.push(ms) };
    await gateway.act('large', calls.list, { over });
    expect(pauses).toEqual([]);
    await gateway.act('large', large, { over });
    expect(pauses).toEqual([0, 0, 0]);
  });

  test('a worker decides it, and what it found is not looked for again', async () => {
    const asked: object[] = [];
    const work = {
      evaluate: async (job: object) => {
        asked.push(job);
        return {
          evaluated: { decision: 'block', matched_rule: 'git:worker', policy: 'pr-writer' },
          ...{ alternative: 'found by the worker', programs: [] },
          redaction: {
            value: { target: 't', justification: '', parameters: { by: 'the worker' } },
            ...{ withheld: ['$.parameters.x'], salts: [] },
          },
        };
      },
    };
    const answer = await gateway.act('worker', large, { over: { calls: work } });
    expect(answer.error.data.suggested_alternative).toBe('found by the worker');
    expect(asked).toMatchObject([
      { call: { tool: large.tool }, recorded: { value: { parameters: large.parameters } } },
    ]);
    expect(asked[0]).not.toHaveProperty('call.envelope_id');
    const [entry] = await gateway.entries('worker');
    expect(entry!.body).toMatchObject({ parameters: { by: 'the worker' }, withheld: ['$.parameters.x'] });
    await gateway.act('worker', { ...large, dry_run: true }, { over: { calls: work } });
    expect(asked[1]).not.toHaveProperty('recorded');
    await gateway.act('worker', calls.list, { over: { calls: work } });
    expect(asked).toHaveLength(2);
  });
});
