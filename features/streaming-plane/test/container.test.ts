/** The configuration of the streaming plane, the headers it trusts, and the resources it may access. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { FunctionSpec } from '#core/contracts/function-spec.ts';
import { longestExecutionSeconds } from '#core/contracts/host-limits.ts';
import { functions } from '#features/functions.ts';
import { routes } from '#features/routes.ts';
import { callerAddress } from '../../../bin/local/load-balancer.ts';
import { planeSettings } from '../container/main.ts';
import { isOfPlane, planeFunctions, unionOf } from '../functions.ts';
import { planeLimits } from '../limits.ts';

const loadBalancer = { hosts: ['plane.example'], tls: true, keepAliveMs: 1 };
const from = (forwarded?: string) =>
  ({
    socket: { remoteAddress: '10.0.0.5' },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

describe("[plane.same-handlers] the caller's address", () => {
  it.each([
    ['is what the load balancer saw', '203.0.113.9', '203.0.113.9'],
    ['is not what the caller says it is', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['is that of the peer where nothing was added', undefined, '10.0.0.5'],
  ])('%s', (_, forwarded, expected) => expect(callerAddress(from(forwarded), loadBalancer)).toBe(expected));

  it('is the peer’s address if there is no load balancer, whatever a header claims', () => {
    expect(callerAddress(from('203.0.113.9'), undefined)).toBe('10.0.0.5');
  });
});

describe('the container environment', () => {
  const given = {
    PLANE_PORT: '8080',
    PLANE_HOSTS: 'Plane.example,lb.example',
    PLANE_TLS: 'on',
    PLANE_IDLE_SECONDS: '180',
    PLANE_DRAIN_SECONDS: '110',
  };

  it('is read', () => {
    expect(planeSettings(given)).toEqual({
      port: 8080,
      loadBalancer: { hosts: ['plane.example', 'lb.example'], tls: true, keepAliveMs: 190_000 },
      drainMs: 110_000,
    });
  });

  it.each([
    [{ PLANE_PORT: '' }, 'PLANE_PORT must be a whole number'],
    [{ PLANE_HOSTS: '' }, 'PLANE_HOSTS must contain the names'],
    [{ PLANE_TLS: 'yes' }, 'PLANE_TLS must be on or off'],
    [{ PLANE_DRAIN_SECONDS: '120' }, 'PLANE_DRAIN_SECONDS must be a whole number up to 115'],
  ])('is refused with %j', (wrong, message) => expect(() => planeSettings({ ...given, ...wrong })).toThrow(message));
});

describe('[cloud.least-privilege] the union of function permissions', () => {
  const specs: readonly FunctionSpec[] = planeFunctions.map((name) => functions[name]);
  const union = unionOf(planeFunctions, functions);

  it('contains every permission of each function', () => {
    for (const spec of specs) {
      expect(Object.keys(union.tables)).toEqual(expect.arrayContaining(Object.keys(spec.tables)));
      expect(union.queries).toEqual(expect.arrayContaining([...(spec.queries ?? [])]));
      expect(union.secrets).toEqual(expect.arrayContaining([...(spec.secrets ?? [])]));
    }
    expect(union).toMatchObject({ invokesModels: true, settlesTasks: true, startsApprovals: true, results: 'write' });
    expect(union).toMatchObject({ runsCommands: true, queriesClusters: true });
  });

  it('contains no permission that no function has', () => {
    const members = new Set(specs.flatMap((spec) => Object.keys(spec)));
    expect(Object.keys(union).filter((member) => !members.has(member))).toEqual([]);
    for (const [table, access] of Object.entries(union.tables))
      if (access === 'write') expect(specs.map((spec) => spec.tables[table as 'config'], functions)).toContain('write');
    expect(unionOf(['models', 'count-tokens'], functions)).toMatchObject({
      tables: { config: 'get' },
      objects: 'read',
    });
    expect(unionOf(['models'], functions)).not.toHaveProperty('results');
    const evaluations = { deliveries: '*#evaluation#evaluation' };
    expect(unionOf(['messages', 'models'], functions)).toMatchObject({ putsOnly: evaluations });
    expect(unionOf(['messages', 'mcp'], functions).putsOnly).toEqual({});
  });

  it('has every permission of its functions', () => {
    // A put limit applies to a process only if it applies to all of its functions.
    const notRights = ['streams', 'timeoutSeconds', 'memoryMb', 'putsOnly', 'surface'];
    for (const spec of specs)
      expect(Object.keys(union)).toEqual(
        expect.arrayContaining(Object.keys(spec).filter((member) => !notRights.includes(member))),
      );
  });
});

it('[plane.same-handlers] serves the routes of its functions and none of the admin API', () => {
  const served = routes.filter(isOfPlane);
  expect(new Set(served.map(({ surface }) => surface))).toEqual(new Set(['gateway', 'mcp']));
  expect(served.map(({ path }) => path)).toEqual(expect.arrayContaining(['/v1/actions', '/v1/outcomes']));
});

it('runs in its container on the same Node version as the tests', () => {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { devDependencies: { node: string } };
  const dockerfile = readFileSync('features/streaming-plane/container/Dockerfile', 'utf8');
  expect(dockerfile).toContain(`FROM node:${devDependencies.node}-slim\n`);
  expect(dockerfile).toContain('\nUSER node\n');
});

test('[action.decision-before-effect] an execution ends before its host shuts down', () => {
  const { executionMs, mcpMs, commandMs } = planeLimits;
  for (const limit of [executionMs, mcpMs, commandMs]) expect(limit).toBeLessThan(longestExecutionSeconds * 1000);
});
