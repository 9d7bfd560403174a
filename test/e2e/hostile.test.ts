/**
 * Requests designed to stop a gateway, against a real local run: each gets a typed response, and heavy work runs in
 * workers.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostileConfiguration, hostileKeys } from '../../bench/hostile/configuration.ts';
import { hostileRequests } from '../../bench/hostile/requests.ts';
import { type Answer, post } from '../../bench/hostile/send.ts';
import { startUpstreams, type Upstreams } from '../../bench/hostile/upstreams.ts';
import { thorough } from '../support/extent.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-hostile-'));
let upstreams: Upstreams;
let gateway: Gateway;
beforeAll(async () => {
  upstreams = await startUpstreams();
  const config = join(folder, 'gateway.yaml');
  writeFileSync(config, hostileConfiguration(upstreams));
  gateway = await startGateway({ config });
});
afterAll(async () => {
  await gateway?.stop();
  await upstreams?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (path: string): Promise<Answer> =>
  post({ url: `${gateway.ready.admin_url}${path}`, method: 'GET', key: hostileKeys.human, body: '' });

/**
 * Checks that text was blocked because a filter did not finish, and that evidence names the filter. No text in the
 * table is forbidden.
 */
async function expectFilterThatErred(text: string, calls: number): Promise<void> {
  const { type, phase, policy } = JSON.parse(text).error;
  expect(type).toBe('policy_violation');
  const { entries } = JSON.parse((await ask(`/admin/v1/audit?kind=chat&decision=block&limit=${calls}`)).text);
  expect(entries.flatMap(({ body }: { body: { findings: object[] } }) => body.findings)).toContainEqual(
    expect.objectContaining({ policy, phase, action: 'block', erred: true }),
  );
}

test('[limit.hostile] the table has more than thirty rows, each with a unique name', () => {
  expect(new Set(hostileRequests.map(({ name }) => name)).size).toBe(hostileRequests.length);
  expect(hostileRequests.length).toBeGreaterThan(30);
});

const taken = hostileRequests.filter(({ heavy }) => !heavy || thorough);

test.each(taken.map((hostile) => [hostile.name, hostile] as const))(
  '[limit.hostile] %s',
  async (_, { send, prepare, answers, says, concurrency = 1 }) => {
    const { gateway_url, admin_url, mcp_url } = gateway.ready;
    const target = {
      gateway: gateway_url,
      admin: admin_url,
      mcp: mcp_url,
      server: `http://127.0.0.1:${upstreams.mcp}`,
    };
    await prepare?.(target);
    for (const { status, text } of await Promise.all(Array.from({ length: concurrency }, () => send(target)))) {
      expect(answers).toContain(status);
      if (says) expect(text).toMatch(says);
      if (status === 403) await expectFilterThatErred(text, concurrency);
      if (status >= 400 && status < 600 && text.startsWith('{')) expect(JSON.parse(text).error).toBeDefined();
    }
  },
);

test('[limit.hostile] large inputs and calls were processed in workers, and the gateway still responds normally', async () => {
  const { text } = await ask('/metrics');
  expect(text).toMatch(/svc_heavy_work_total\{kind="texts",outcome="done"\} \d\d/);
  expect(text).toMatch(/svc_heavy_work_total\{kind="effects",outcome="done"\} \d/);
  expect((await ask('/health')).status).toBe(200);
  expect(gateway.log()).not.toContain('uncaught');
});
