/**
 * Two gateways on this machine as control plane and data plane, from the first document through a partition to a new
 * token.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '#core/kernel/canonical.ts';
import { agentctl, ask, type Fields, until, workFolder } from '../../../test/e2e/client.ts';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';

const tokens = { old: 'token-of-the-plane-eu-old', next: 'token-of-the-plane-eu-new' };
const folders = { control: workFolder(), plane: workFolder() };
const controlFile = join(workFolder(), 'control.yaml');
const planeFile = join(workFolder(), 'plane.yaml');

/** @param decision of the only rule, from which a test sees which configuration is in force */
const ofControl = (decision: string, planeTokens: readonly string[] = [tokens.old]) => `
version: 1
people: [{ id: alice, role: operator, tenants: ["*"] }]
tenants: [{ id: acme, api_keys: [{ key: key-of-the-control-plane, kind: agent }] }]
tool_policies:
  pack: readonly
  rules: [{ protocol: git, tool: scm.create_issue, decision: ${decision} }]
federation:
  role: control
  planes: [{ name: eu, tokens: [${planeTokens.map((token) => `{ token_sha256: ${sha256(token)} }`).join(', ')}] }]
`;

const ofPlane = (url: string, trusted: string) => `
version: 1
tenants: [{ id: acme, api_keys: [] }]
tool_policies: { pack: null, default_decision: allow }
federation:
  role: data
  plane: eu
  control_plane_url: ${url}
  token_env: PLANE_TOKEN
  trusted_keys: [${trusted}]
  poll_seconds: 1
  local_keys:
    - { tenant: acme, key_sha256: ${sha256('key-of-the-data-plane')}, kind: agent, name: builder }
`;

let control: Gateway;
let plane: Gateway;
let trusted: string;
const started: Gateway[] = [];

async function start(options: Parameters<typeof startGateway>[0]): Promise<Gateway> {
  const gateway = await startGateway(options);
  started.push(gateway);
  return gateway;
}

const startPlane = (token: string) => start({ state: folders.plane, config: planeFile, env: { PLANE_TOKEN: token } });

const admin = <T = Fields>(gateway: Gateway, path: string) =>
  ask<T>(gateway.ready.admin_url, 'GET', `/admin/v1${path}`, { key: gateway.keys.admin_token });

interface PlaneView extends Fields {
  readonly state: string;
}
const planeView = async (): Promise<PlaneView> =>
  (await admin<{ planes: PlaneView[] }>(control, '/federation/planes')).body.planes[0]!;
const seenAs = (state: string, more: (view: PlaneView) => boolean = () => true) =>
  until(
    `the plane as ${state}`,
    async () => {
      const view = await planeView().catch(() => undefined);
      return view?.state === state && more(view) ? view : undefined;
    },
    60,
  );

const act = (gateway: Gateway, key = 'key-of-the-data-plane', session = 'work') =>
  ask(gateway.ready.admin_url, 'POST', '/admin/v1/test-action', {
    key,
    body: { protocol: 'git', tool: 'scm.create_issue', target: 'acme/web', capability: 'write', actor: { session } },
  });
const decides = (decision: string, gateway = plane) =>
  until(
    `the decision ${decision}`,
    async () => ((await act(gateway)).body.decision === decision ? true : undefined),
    60,
  );

beforeAll(async () => {
  writeFileSync(controlFile, ofControl('block'));
  control = await start({ state: folders.control, config: controlFile });
  trusted = (await admin<{ public_key_sha256: string }>(control, '/federation/planes')).body.public_key_sha256;
  writeFileSync(planeFile, ofPlane(control.ready.admin_url, trusted));
  plane = await startPlane(tokens.old);
});
afterAll(async () => {
  for (const gateway of started.reverse()) await gateway.stop();
  // A gateway still writes while it shuts down, after the test file's folders were removed.
  for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true });
});

test("[federation.poll] the data plane enforces the control plane's configuration, with its own keys", async () => {
  await decides('block');
  expect((await act(plane, 'key-of-the-control-plane')).status).toBe(401);
  expect(await seenAs('ok', ({ version }) => version === 1)).toMatchObject({ behind: 0, pending_approvals: 0 });
  const listed = await agentctl(['federation', 'planes'], { GATEWAY_STATE: folders.control });
  expect(listed).toMatchObject({ code: 0, out: expect.stringMatching(/^eu +ok /m) });
  const key = await agentctl(['federation', 'key'], { GATEWAY_STATE: folders.control });
  expect(key.out.trim()).toBe(trusted);
});

test('[federation.poll] a change on the control plane reaches the data plane', async () => {
  writeFileSync(controlFile, ofControl('review'));
  await decides('review');
  expect(await seenAs('ok', ({ version }) => version === 2)).toMatchObject({ behind: 0 });
});

test('[federation.poll] [federation.last-good] a network partition, even with a restart during it, changes no decisions; metrics arrive after it ends', async () => {
  await control.kill9();
  await act(plane, undefined, 'during-the-partition');
  await plane.restart();
  await decides('review');
  await control.restart();
  await seenAs('ok');
  await until(
    'minutes of the plane',
    async () => {
      const { body } = await admin<{ summary: Record<string, { requests: number }[]> }>(
        control,
        '/analytics?dimension=plane:eu',
      );
      return body.summary['plane:eu']!.some(({ requests }) => requests > 0) || undefined;
    },
    60,
  );
});
