/**
 * The same stacks deployed a second time, as a data plane of the first: what travels between the two, what is refused, and what
 * each does when it loses the other. Both stand in one account and region: the emulator deploys into others as well, but finds the API of a
 * request by the account of its SigV4 credentials, and callers with keys of the gateway have none.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { type TableName, tables } from '#core/contracts/tables.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { type Check, check } from '../support/checks.ts';
import type { Loose } from '../support/loose.ts';
import { TableAttacker } from '../support/table-attacker.ts';
import {
  addressOf,
  type Call,
  clientConfig,
  expectStatus,
  gatewayAt,
  type Keys,
  provisionKeys,
  putSecret,
  storeModule,
} from './caller.ts';
import { guard } from './configuration.ts';
import { type Deployment, deployBeside, type Outputs } from './deployment.ts';
import type { Emulator } from './emulator.ts';
import { type Forwarder, forwardTo } from './forwarder.ts';
import { until } from './processes.ts';

const plane: Deployment = { name: 'gateway-eu', context: { dataPlane: 'on' } };
const asYaml = { 'content-type': 'application/yaml' };
const tokens = { old: randomBytes(24).toString('hex'), next: randomBytes(24).toString('hex') };

const federationOf = (accepted: readonly string[]) => `
federation:
  role: control
  planes: [{ name: eu, tokens: [${accepted.map((token) => `{ token_sha256: ${sha256(token)} }`).join(', ')}] }]
`;

const ofPlane = (controlPlane: string, trusted: string) => `
version: 1
admin: { token_env: GATEWAY_ADMIN_TOKEN }
tenants: [{ id: default, api_keys: [] }]
tool_policies: { pack: null, default_decision: allow }
federation:
  role: data
  plane: eu
  control_plane_url: ${controlPlane}
  token_env: PLANE_TOKEN
  trusted_keys: [${trusted}]
  local_keys: [{ tenant: default, key_env: AGENT_KEY, kind: agent, owner: bob, name: builder }]
`;

export function federationChecks(
  emulator: Emulator,
  outputs: Outputs,
  { call: control, keys, configuration }: { call: Call; keys: Keys; configuration: string },
): Check[] {
  const lambda = new LambdaClient(clientConfig(emulator));
  const physical = Object.fromEntries(Object.keys(tables).map((name) => [name, `${plane.name}-${name}`]));
  const attacker = new TableAttacker({
    client: new DynamoDBClient(clientConfig(emulator)),
    tables: physical as Record<TableName, string>,
  });
  let network: Forwarder;
  let call: Call;
  let withKeysOfControl: Call;

  /** @param decision of the one rule by which a check sees which configuration is in force */
  const putAtControl = async (decision: string, accepted: readonly string[]) => {
    const rule = 'tool: scm.get_file, decision: ';
    const text = configuration.replace(`${rule}allow`, `${rule}${decision}`) + federationOf(accepted);
    expectStatus(await control('admin', 'PUT /admin/v1/config', text, asYaml), 201);
  };
  const planeView = async (): Promise<Loose> =>
    expectStatus(await control('admin', 'GET /admin/v1/federation/planes'), 200).planes[0];
  const seenAs = (state: string, seconds: number, more: (view: Loose) => boolean = () => true) =>
    until(`the plane as ${state}`, seconds, async () => {
      const view = await planeView();
      return view.state === state && more(view) && view;
    });
  const act = (session = 'cloud-federation', as = call) =>
    as('agent', 'POST /admin/v1/test-action', {
      ...{ protocol: 'git', tool: 'scm.get_file', target: 'acme/web', capability: 'read', parameters: {} },
      actor: { session },
    });
  const decides = (decision: string, seconds: number) =>
    until(`the plane to decide ${decision}`, seconds, async () => (await act()).body.decision === decision);
  /** What the schedule does each minute. */
  const run = async (): Promise<string> => {
    const { Payload, FunctionError } = await lambda.send(
      new InvokeCommand({ FunctionName: `${plane.name}-federation-poll`, Payload: Buffer.from('{}') }),
    );
    const text = Buffer.from(Payload ?? []).toString('utf8');
    assert.equal(FunctionError, undefined, text);
    return JSON.parse(text).polled;
  };
  /** The functions of both planes see a new configuration within seconds of its arrival. */
  const adopts = (decision: string) =>
    until(`the plane to decide ${decision}`, 30, async () => {
      await run();
      return (await act()).body.decision === decision;
    });
  const configOf = (token: string) =>
    control(undefined, 'GET /admin/v1/federation/config', undefined, { authorization: `Bearer ${token}` });

  return [
    check('[federation.on-aws] the stacks are deployed a second time, as a data plane', async () => {
      network = await forwardTo(emulator.endpoint);
      const own = await deployBeside(emulator, plane);
      assert.notEqual(own.GatewayStores.SigningKeyId, outputs.GatewayStores.SigningKeyId);
      const ownKeys = await provisionKeys(emulator, own, plane);
      await putSecret(emulator, `${plane.name}/federation`, { PLANE_TOKEN: tokens.old });
      await storeModule(emulator, own, guard);
      call = gatewayAt(emulator, own.GatewayServices.AdminApiId, ownKeys);
      withKeysOfControl = gatewayAt(emulator, own.GatewayServices.AdminApiId, keys);
    }),
    check('[federation.first] the data plane refuses calls until its first document comes', async () => {
      await putAtControl('block', [tokens.old]);
      const { public_key_sha256, planes } = await until('the control plane to list the plane', 15, async () => {
        const { body } = await control('admin', 'GET /admin/v1/federation/planes');
        return body.planes?.length === 1 && body;
      });
      assert.equal(planes[0].state, 'never_seen');
      const url = addressOf({ endpoint: network.url }, outputs.GatewayServices.AdminApiId);
      expectStatus(await call('admin', 'PUT /admin/v1/config', ofPlane(url, public_key_sha256), asYaml), 201);
      assert.match(expectStatus(await act(), 503).error.message, /control plane/);
    }),
    check(
      '[federation.on-aws] its schedule brings the signed configuration, and calls need keys of the plane',
      async () => {
        await decides('block', 130);
        expectStatus(await act('cloud-federation', withKeysOfControl), 401);
        const { federation } = expectStatus(await call('admin', 'GET /admin/v1/health/detailed'), 200);
        assert.equal(federation.plane, 'eu', JSON.stringify(federation));
        await run();
        assert.equal((await seenAs('ok', 10)).behind, 0);
      },
    ),
    check('[federation.no-secret] what is served holds no key and no digest of one', async () => {
      const served = JSON.stringify(expectStatus(await configOf(tokens.old), 200));
      for (const secret of [...Object.values(keys), ...Object.values(tokens)])
        for (const found of [secret, sha256(secret)]) assert.ok(!served.includes(found), 'a secret is served');
    }),
    check('[federation.plane-token] a plane speaks for itself only, and its token opens nothing else', async () => {
      const authorization = { authorization: `Bearer ${tokens.old}` };
      const status = { plane: 'us', instance: 'a'.repeat(16), interval_seconds: 60, sent_at: new Date().toISOString() };
      const rest = { version: 1, healthy: true, requests: 0, error_rate: 0, pending_approvals: 0, evidence_heads: [] };
      const post = { ...status, ...rest };
      expectStatus(await control(undefined, 'POST /admin/v1/federation/status', post, authorization), 403);
      const other = await control(undefined, 'GET /admin/v1/policies', undefined, authorization);
      assert.ok(other.status === 401 || other.status === 403, `HTTP ${other.status}`);
    }),
    check('[federation.poll] a change at the control plane is in force with the next run', async () => {
      await putAtControl('review', [tokens.old]);
      await adopts('review');
    }),
    check(
      '[federation.metrics] the minutes of the plane are merged into the analytics of the control plane',
      async () => {
        await until('requests of the plane', 40, async () => {
          await run();
          const found = expectStatus(await control('admin', 'GET /admin/v1/analytics?dimension=plane:eu'), 200);
          return (found.summary['plane:eu'] as { requests: number }[]).some(({ requests }) => requests > 0);
        });
      },
    ),
    check(
      '[federation.heads] chains that are cut, forked or removed at the plane are found with the next run',
      async () => {
        const attacks: Record<string, (session: string) => Promise<void>> = {
          'cloud-cut': async (name) => attacker.tell(name, (await attacker.entries(name)).slice(0, -1)),
          'cloud-fork': async (name) => {
            const story = await attacker.entries(name);
            await attacker.tell(name, [...story.with(0, { ...story[0]!, body: { forged: true } }), ...story]);
          },
          'cloud-gone': (name) => attacker.remove(name),
        };
        const names = Object.keys(attacks);
        for (const name of names) for (let nth = 0; nth < 2; nth++) expectStatus(await act(name), 200);
        await run();
        assert.equal((await seenAs('ok', 10)).divergence, undefined);
        for (const name of names) await attacks[name]!(name);
        await run();
        const { divergence, divergences } = await seenAs('diverged', 10);
        assert.ok(names.includes(divergence.session_id), JSON.stringify(divergence));
        assert.equal(divergences, names.length);
        const audit = expectStatus(await control('admin', 'GET /admin/v1/audit?kind=admin&limit=20'), 200);
        const found = audit.entries.filter(({ body }: Loose) => body.action === 'federation.divergence');
        assert.deepEqual(
          found.map(({ body }: Loose) => body.session_id).sort(),
          [...names].sort(),
          JSON.stringify(found),
        );
      },
    ),
    check('[federation.accept] a person accepts what differs, and the plane is well again', async () => {
      expectStatus(await control('admin', 'POST /admin/v1/federation/planes/eu/accept', {}), 200);
      await run();
      await seenAs('ok', 10);
    }),
    check(
      '[federation.last-good] while the control plane is away, the last good configuration stays in force',
      async () => {
        network.cut();
        await putAtControl('allow', [tokens.old]);
        assert.equal(await run(), 'unreachable');
        assert.equal(expectStatus(await act(), 200).decision, 'review');
        network.mend();
        await adopts('allow');
        await run();
        assert.equal((await seenAs('ok', 10)).behind, 0);
      },
    ),
    check('[federation.token-rotation] a token is replaced while the plane works on', async () => {
      await putAtControl('allow', [tokens.old, tokens.next]);
      await until('the new token to count', 15, async () => (await configOf(tokens.next)).status === 200);
      await putSecret(emulator, `${plane.name}/federation`, { PLANE_TOKEN: tokens.next });
      await putAtControl('block', [tokens.next]);
      await until('the old token to count no more', 15, async () => (await configOf(tokens.old)).status === 401);
      await adopts('block');
      await run();
      await seenAs('ok', 10).finally(() => network.stop());
    }),
  ];
}
