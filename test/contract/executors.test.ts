/** One suite for every executor, against real servers and processes on this machine. */
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { UpstreamError } from '#core/execution/executors/fault.ts';
import { configured, credentialOf, cuttingProxy, envelopeOf, faultOf } from '../support/executor-cases.ts';
import { type Behaviour, fakeHttpService } from '../support/fake-http-service.ts';
import { postgresPrograms, startPostgres } from '../support/postgres.ts';
import { useStarted } from '../support/use-started.ts';
import { available, cases, made } from './executor-worlds.ts';

describe.each(Object.keys(cases).filter(available))('[action.executed] executor %s', (name) => {
  const run = (envelope: ActionEnvelope, signal?: AbortSignal) =>
    case_.executor.execute(envelope, case_.credential, { signal });
  const case_ = useStarted(() => cases[name]!());

  test('executes the calls that it handles', async () => {
    expect(case_.executor.handles(case_.good)).toBe(true);
    expect(await run(case_.good)).toBeInstanceOf(Object);
  });

  test('leaves other protocols to other executors', () => {
    expect(case_.executor.handles({ ...case_.good, protocol: 'mcp' })).toBe(false);
  });

  test('[credential.never-shown] withholds the credential from its result', async () => {
    const told = JSON.stringify(await run(case_.echo));
    expect(told).toContain('[credential withheld]');
    expect(told).not.toContain(case_.credential.secret);
  });

  test('[mcp.upstream-error] names the tool and the upstream in an error and gives a hint, without any secret', async () => {
    const fault = (await faultOf(run(case_.echoedError))) as UpstreamError;
    expect(fault).toBeInstanceOf(UpstreamError);
    expect(fault).toMatchObject({ effect: 'none' });
    expect(fault.message).toContain(`${case_.echoedError.tool} at ${fault.upstream}: `);
    expect(fault.message.endsWith(fault.hint)).toBe(true);
    expect(fault.hint).not.toBe('');
    for (const text of [fault.message, JSON.stringify(fault), fault.stack ?? '']) {
      expect(text).not.toContain(case_.credential.secret);
      expect(text).not.toContain('owner-password');
    }
  });

  test('[executor.bounds] never goes beyond the envelope', async () => {
    const before = case_.asked?.();
    for (const envelope of case_.broader) {
      const { tool, target, parameters } = envelope;
      const label = JSON.stringify({ tool, target, parameters });
      if (!case_.executor.handles(envelope)) continue;
      const fault = await faultOf(run(envelope)).catch((thrown: Error) => thrown.message);
      expect([label, fault]).toEqual([label, expect.any(UpstreamError)]);
      expect([label, fault]).toEqual([label, expect.not.objectContaining({ effect: 'unknown' })]);
    }
    expect(case_.asked?.()).toBe(before);
  });

  test('[executor.bounds] bounds its result', async () => {
    const result = (await run(case_.large).catch((thrown: unknown) => thrown)) as Record<string, unknown>;
    if (name === 'git') expect(result).toMatchObject({ kind: 'too_large' });
    else expect(result).toMatchObject({ truncated: true });
    expect(JSON.stringify(result).length).toBeLessThan(5000);
  });

  test('requires a credential if its upstream does', async () => {
    const without = case_.executor.execute(case_.good, undefined);
    if (case_.needsCredential) expect(await faultOf(without)).toMatchObject({ kind: 'no_credential' });
    else expect(await without).toBeInstanceOf(Object);
  });

  test('a cancelled request is not sent to the upstream', async () => {
    const before = case_.asked?.();
    const fault = await faultOf(run(case_.good, AbortSignal.abort()));
    expect(fault).toMatchObject({ kind: 'cancelled', effect: 'none' });
    expect(case_.asked?.()).toBe(before);
  });

  test('[executor.unknown-outcome] stops when cancelled, and reports an unknown outcome', async () => {
    const ends = new AbortController();
    const underWay = case_.underWay();
    const fault = faultOf(run(case_.hanging, ends.signal));
    await underWay;
    ends.abort();
    expect(await fault).toMatchObject({
      kind: 'cancelled',
      effect: case_.hangingChanges ? 'unknown' : 'none',
    });
  });
});
describe('a closed connection', () => {
  const behaviours: [Behaviour, string, string, string][] = [
    ['cut', 'http.post', 'unknown', 'cut'],
    ['half', 'http.post', 'unknown', 'cut'],
    [{ status: 504 }, 'http.post', 'unknown', 'unavailable'],
    [{ status: 503 }, 'http.post', 'none', 'unavailable'],
    ['hang', 'http.post', 'unknown', 'timeout'],
    ['hang', 'http.get', 'none', 'timeout'],
    ['cut', 'http.get', 'none', 'cut'],
  ];
  test.each(behaviours)('%p to %s is %s', async (behaviour, tool, effect, kind) => {
    const service = await fakeHttpService(() => behaviour);
    const entry = {
      name: 'svc',
      base_url: service.url,
      allow_private: true,
      allowed_methods: ['GET', 'POST'],
      timeout_ms: behaviour === 'hang' ? 1000 : 60_000,
    };
    const executor = made(configured({ upstreams: { http: [entry] } }));
    const capability = tool === 'http.get' ? 'read' : 'write';
    const fault = await faultOf(executor.execute(envelopeOf('http', tool, `${service.url}/x`, capability), undefined));
    expect(fault).toMatchObject({ effect, kind });
    expect(service.asked).toHaveLength(1);
    await service.stop();
  });

  test('an unreachable service is a failure, and the call has no effect', async () => {
    const service = await fakeHttpService(() => ({}));
    await service.stop();
    const entry = { name: 'svc', base_url: service.url, allow_private: true, allowed_methods: ['POST'] };
    const executor = made(configured({ upstreams: { http: [entry] } }));
    const fault = await faultOf(
      executor.execute(envelopeOf('http', 'http.post', `${service.url}/x`, 'write'), undefined),
    );
    expect(fault).toMatchObject({ effect: 'none', kind: 'unreachable' });
  });

  const database = postgresPrograms === undefined ? test.skip : test;
  database('during COMMIT leaves a database action unknown, and before it failed', async () => {
    const server = await startPostgres();
    const credential = credentialOf(JSON.stringify({ username: server.user, password: server.password }));
    const executorAt = (port: number) =>
      made(
        configured({
          executors: {
            sql: { databases: [{ name: 'd', host: server.host, port, database: 'postgres', tls: 'off' }] },
          },
        }),
      );
    const write = envelopeOf('sql', 'sql.execute', 'd', 'write', { sql: 'CREATE TABLE t (id int)' });
    try {
      const atCommit = await cuttingProxy(server.port, 'COMMIT');
      expect(await faultOf(executorAt(atCommit.port).execute(write, credential))).toMatchObject({
        effect: 'unknown',
        kind: 'cut',
      });
      const before = await cuttingProxy(server.port, 'CREATE TABLE');
      expect(await faultOf(executorAt(before.port).execute(write, credential))).toMatchObject({
        effect: 'none',
        kind: 'cut',
      });
      await Promise.all([atCommit.stop(), before.stop()]);
    } finally {
      await server.stop();
    }
  });
});
