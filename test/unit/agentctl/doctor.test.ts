/** `doctor`: findings and remedies. */
import * as z from 'zod';
import { readCases } from '../../support/yaml.ts';
import { deployment, status } from './deployment.ts';

const { home, examined } = deployment();

test('[cli.status] reports no findings for a healthy deployment', async () => {
  expect(await examined()).toEqual({ code: 0, ok: true, failed: 0, warned: 0, odd: [] });
  const { out } = await home.run(['doctor']);
  expect(out).toMatch(/^ok {6}gateway: .*\n[\s\S]*nothing to do\n$/);
});

const answer = z.record(z.string(), z.unknown()).optional();
const row = z.strictObject({
  what: z.string(),
  health: answer,
  plane: answer,
  at: z.string().optional(),
  says: answer,
  check: z.string(),
  state: z.enum(['warn', 'fail']),
  found: z.string(),
});
const findings = readCases('test/unit/agentctl/doctor.yaml', z.array(row));

test.each(findings)('[cli.status] $what is reported with a remedy', async ({ health, plane, at, says, ...row }) => {
  const { check, state, found } = row;
  const { code, odd } = await examined({
    ...(health && { 'GET /admin/v1/health/detailed': { ...status, ...health } }),
    ...(plane && { 'GET /admin/v1/federation/planes': { planes: [{ name: 'eu', ...plane }] } }),
    ...(at && { [at]: says }),
  });
  expect(odd).toEqual([{ check, state, found: expect.stringContaining(found), todo: expect.stringMatching(/\w/) }]);
  expect(code).toBe(state === 'fail' ? 1 : 0);
});

test.each([
  ['provider', 'openai', 'base_url and api_key_env of the provider openai'],
  ['mcp_server', 'crm', 'the url or command of the server crm in upstreams.mcp'],
  ['http_service', 'pay', 'base_url of the service pay in upstreams.http'],
  ['channel', 'slack', 'approvals.channels.slack'],
  ['control_plane', 'control plane', 'federation.control_plane_url'],
])('[cli.status] if a %s is down, the report says what to check, once', async (kind, name, todo) => {
  const dependency = { kind, name, needed: false, state: 'down', reason: 'connection refused' };
  const failing = kind === 'channel' ? [{ channel: name, error: 'connection refused' }] : [];
  const down = { ...status, dependencies: [dependency], deliveries: { failing } };
  const { odd } = await examined({ 'GET /admin/v1/health/detailed': down });
  expect(odd).toEqual([
    {
      check: 'health',
      state: kind === 'provider' ? 'fail' : 'warn',
      found: `${kind} ${name} is down: connection refused`,
      todo: expect.stringContaining(`check ${todo}`),
    },
  ]);
});

test('[cli.status] a control plane whose documents are refused causes one finding, and no line reports success', async () => {
  const dependency = { kind: 'control_plane', name: 'control plane', needed: false, state: 'down', reason: 'refused' };
  const federation = { plane: 'eu', control_plane_version: 3, refused: 'the control plane answered 403' };
  const down = { ...status, dependencies: [dependency], federation };
  const { odd } = await examined({ 'GET /admin/v1/health/detailed': down });
  expect(odd).toMatchObject([{ check: 'health', state: 'fail', found: expect.stringContaining('answered 403') }]);
  expect((await home.run(['doctor'])).out).not.toContain('dependencies are up');
});
