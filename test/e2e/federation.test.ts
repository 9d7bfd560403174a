/** Two gateways on this machine as control plane and data plane, from the first document to a control plane that was set back. */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../core/kernel/canonical.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { agentctl, ask, type Fields, until, workFolder } from './client.ts';

const tokens = { old: 'token-of-the-plane-eu-old', next: 'token-of-the-plane-eu-new' };
const folders = { control: workFolder(), plane: workFolder(), second: workFolder() };
const controlFile = join(workFolder(), 'control.yaml');
const planeFile = join(workFolder(), 'plane.yaml');

/** @param decision of the one rule by which a test sees which configuration is in force */
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

const ofPlane = (url: string, trusted: string, more = '') => `
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
  ${more}
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

const startPlane = (state = folders.plane, token = tokens.old, config = planeFile) =>
  start({ state, config, env: { PLANE_TOKEN: token } });

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
  plane = await startPlane();
});
afterAll(async () => {
  for (const gateway of started.reverse()) await gateway.stop();
  // A gateway writes as it ends, after the folders of the file were removed.
  for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true });
});

test('[federation.story] the data plane enforces what the control plane serves, with keys of its own', async () => {
  await decides('block');
  expect((await act(plane, 'key-of-the-control-plane')).status).toBe(401);
  expect(await seenAs('ok', ({ version }) => version === 1)).toMatchObject({ behind: 0, pending_approvals: 0 });
  const listed = await agentctl(['federation', 'planes'], { GATEWAY_STATE: folders.control });
  expect(listed).toMatchObject({ code: 0, out: expect.stringMatching(/^eu +ok /m) });
  const key = await agentctl(['federation', 'key'], { GATEWAY_STATE: folders.control });
  expect(key.out.trim()).toBe(trusted);
});

test('[federation.story] [federation.swap] a change at the control plane reaches the data plane', async () => {
  writeFileSync(controlFile, ofControl('review'));
  await decides('review');
  expect(await seenAs('ok', ({ version }) => version === 2)).toMatchObject({ behind: 0 });
});

test('[federation.story] [federation.last-good] a partition and a restart within it change nothing; its minutes arrive later', async () => {
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

test('[federation.story] [federation.token-rotation] a token is replaced without a gap', async () => {
  writeFileSync(controlFile, ofControl('review', [tokens.old, tokens.next]));
  await seenAs('ok', ({ version }) => version === 3);
  await plane.stop();
  plane = await startPlane(folders.plane, tokens.next);
  writeFileSync(controlFile, ofControl('block', [tokens.next]));
  await decides('block');
  const refused = await ask(control.ready.admin_url, 'GET', '/admin/v1/federation/config', {
    headers: { authorization: `Bearer ${tokens.old}` },
  });
  expect(refused.status).toBe(401);
  await seenAs('ok', ({ version }) => version === 4);
});

test('[federation.story] [federation.no-secret] what is served holds no key of the control plane, and no digest of one', async () => {
  const { text, status } = await ask(control.ready.admin_url, 'GET', '/admin/v1/federation/config', {
    headers: { authorization: `Bearer ${tokens.next}` },
  });
  expect(status).toBe(200);
  const known = [...Object.values(control.keys), ...Object.values(tokens), 'key-of-the-control-plane'].map(String);
  for (const secret of known) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(sha256(secret));
  }
});

/** That the conflict passes is shown by the contract tests, which wind the clock: here it would take half a minute. */
test('[federation.story] [federation.status] a second gateway of the same name is refused and shown', async () => {
  const second = await startPlane(folders.second, tokens.next);
  const view = await seenAs('conflict');
  expect(view.conflict).toMatchObject({ instance: expect.stringMatching(/^[0-9a-f]{16}$/) });
  await second.stop();
});

test('[federation.story] [federation.heads] a data plane that is restored from a backup is found', async () => {
  const backup = workFolder();
  await act(plane, undefined, 'restored');
  await plane.stop();
  cpSync(folders.plane, backup, { recursive: true });
  plane = await startPlane(folders.plane, tokens.next);
  const heads = async () =>
    (await admin<{ sessions: { session_id: string; total_entries: number }[] }>(plane, '/evidence/sessions')).body
      .sessions;
  const before = (await heads()).find(({ session_id }) => session_id === 'restored')!.total_entries;
  await act(plane, undefined, 'restored');
  await act(plane, undefined, 'restored');
  expect((await heads()).find(({ session_id }) => session_id === 'restored')!.total_entries).toBeGreaterThan(before);
  // Two reports later the control plane has seen what the backup has not.
  for (let nth = 0; nth < 2; nth++) {
    const { seen_at } = await planeView();
    await until('a later report', async () => ((await planeView()).seen_at! > seen_at! ? true : undefined), 60);
  }
  await plane.stop();
  rmSync(folders.plane, { recursive: true });
  cpSync(backup, folders.plane, { recursive: true });
  plane = await startPlane(folders.plane, tokens.next);
  const { divergence } = await seenAs('diverged');
  expect(divergence).toMatchObject({ kind: 'cut' });
  // It goes on to enforce: what differs is for people to look at.
  await decides('block');
});

test('[federation.story] [federation.no-rollback] a control plane that is set back is refused, and says so itself', async () => {
  const backup = workFolder();
  await control.stop();
  cpSync(folders.control, backup, { recursive: true });
  await control.restart();
  writeFileSync(controlFile, ofControl('review', [tokens.next]));
  await decides('review');
  await control.stop();
  rmSync(folders.control, { recursive: true });
  cpSync(backup, folders.control, { recursive: true });
  writeFileSync(controlFile, ofControl('block', [tokens.next]));
  await control.restart();
  await until(
    'the refusal',
    async () => {
      const { planes } = (await admin<{ planes: PlaneView[] }>(control, '/federation/planes')).body;
      return String(planes[0]?.refused ?? '').includes('was set back') || undefined;
    },
    60,
  );
  expect(await planeView()).toMatchObject({ behind: -1 });
  expect((await act(plane)).body.decision).toBe('review');
  // Newer again, as the alert says.
  writeFileSync(controlFile, ofControl('allow', [tokens.next]));
  await until(
    'version 5',
    async () => (await admin<{ version: number }>(control, '/federation/planes')).body.version === 5 || undefined,
    60,
  );
  writeFileSync(controlFile, ofControl('block', [tokens.next]));
  await decides('block');
});

test('[federation.story] [federation.staleness] a data plane that refuses when stale answers again after the partition', async () => {
  const file = join(workFolder(), 'short.yaml');
  writeFileSync(file, ofPlane(control.ready.admin_url, trusted, 'max_staleness: 3s'));
  await plane.stop();
  plane = await startPlane(folders.plane, tokens.next, file);
  await decides('block');
  await control.kill9();
  const { body } = await until(
    'a refusal',
    async () => {
      const answer = await act(plane);
      return answer.status === 503 ? answer : undefined;
    },
    60,
  );
  expect((body as { error: { message: string } }).error.message).toContain('is stale');
  expect((await admin(plane, '/health/detailed')).status).toBe(200);
  await control.restart();
  await decides('block');
});
