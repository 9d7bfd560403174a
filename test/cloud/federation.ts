/**
 * Deploys the stacks a second time, as a data plane of the first, in another region of the same account and under the
 * same deployment name. Checks the exchanged documents and reports, refusals, and a connection lost on either side.
 */
import assert from 'node:assert/strict';
import { type Check, check } from '../support/checks.ts';
import type { Loose } from '../support/loose.ts';
import { addressOf, type Call, expectStatus, type Keys } from './caller.ts';
import { asYaml, type DataPlane, deployDataPlane, federationOf, newToken, seenAs } from './data-plane.ts';
import { gateway, type Outputs } from './deployment.ts';
import type { Emulator } from './emulator.ts';
import { type Forwarder, forwardTo } from './forwarder.ts';
import { until } from './processes.ts';

const place = { name: gateway.name, region: 'eu-central-1' };
const tokens = { old: newToken(), next: newToken() };

export function federationChecks(
  emulator: Emulator,
  outputs: Outputs,
  { call: control, keys, configuration }: { call: Call; keys: Keys; configuration: string },
): Check[] {
  let network: Forwarder;
  let plane: DataPlane;

  /** @param decision the decision of the single rule, from which a check can see which configuration is active */
  const putAtControl = async (decision: string, accepted: readonly string[]) => {
    const rule = 'tool: scm.get_file, decision: ';
    const text = configuration.replace(`${rule}allow`, `${rule}${decision}`) + federationOf({ eu: accepted });
    expectStatus(await control('admin', 'PUT /admin/v1/config', text, asYaml), 201);
  };
  const configOf = (token: string) =>
    control(undefined, 'GET /admin/v1/federation/config', undefined, { authorization: `Bearer ${token}` });

  return [
    check('[cloud.name] the stacks are deployed under the same name in another region, as a data plane', async () => {
      network = await forwardTo(emulator.endpoint);
      plane = await deployDataPlane(emulator, 'eu', place);
      const { GatewayStores, GatewayServices } = plane.outputs;
      assert.notEqual(GatewayStores.SigningKeyId, outputs.GatewayStores.SigningKeyId);
      assert.match(GatewayServices.ApprovalStateMachineArn, /:eu-central-1:000000000000:/);
      await plane.giveToken(tokens.old);
    }),
    check('[federation.poll] the data plane refuses calls until its first document arrives', async () => {
      await putAtControl('block', [tokens.old]);
      await seenAs(control, 'eu', 'never_seen');
      const { public_key_sha256 } = expectStatus(await control('admin', 'GET /admin/v1/federation/planes'), 200);
      await plane.join(addressOf({ endpoint: network.url }, outputs.GatewayServices.AdminApiId), public_key_sha256);
      assert.match(expectStatus(await plane.act(), 503).error.message, /control plane/);
    }),
    check(
      '[federation.on-aws] the plane’s schedule fetches the signed configuration, and calls need the plane’s own keys',
      async () => {
        const decided = async () => (await plane.act()).body.decision === 'block';
        await until('the plane to decide block', 150, decided);
        expectStatus(await plane.act('cloud-federation', plane.with(keys)), 401);
        const { federation } = expectStatus(await plane.call('admin', 'GET /admin/v1/health/detailed'), 200);
        assert.equal(federation.plane, 'eu', JSON.stringify(federation));
        await plane.run();
        assert.equal((await seenAs(control, 'eu', 'ok')).behind, 0);
      },
    ),
    check('[federation.poll] a change on the control plane takes effect with the next run', async () => {
      await putAtControl('review', [tokens.old]);
      await plane.adopts('review');
    }),
    check('[federation.metrics] the plane’s per-minute data is merged into the control plane’s analytics', async () => {
      await until('requests of the plane', 60, async () => {
        await plane.run();
        const found = expectStatus(await control('admin', 'GET /admin/v1/analytics?dimension=plane:eu'), 200);
        return (found.summary['plane:eu'] as { requests: number }[]).some(({ requests }) => requests > 0);
      });
    }),
    check(
      '[federation.status] chains that are truncated, forked or removed on the plane are detected by the next run',
      async () => {
        const attacks: Record<string, (session: string) => Promise<void>> = {
          'cloud-cut': async (name) => plane.attacker.tell(name, (await plane.attacker.entries(name)).slice(0, -1)),
          'cloud-fork': async (name) => {
            const story = await plane.attacker.entries(name);
            await plane.attacker.tell(name, [...story.with(0, { ...story[0]!, body: { forged: true } }), ...story]);
          },
          'cloud-gone': (name) => plane.attacker.remove(name),
        };
        const names = Object.keys(attacks);
        for (const name of names) for (let nth = 0; nth < 2; nth++) expectStatus(await plane.act(name), 200);
        await plane.run();
        assert.equal((await seenAs(control, 'eu', 'ok')).divergence, undefined);
        for (const name of names) await attacks[name]!(name);
        await plane.run();
        const { divergence, divergences } = await seenAs(control, 'eu', 'diverged');
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
    check('[federation.status] a person accepts the differences, and the plane is healthy again', async () => {
      expectStatus(await control('admin', 'POST /admin/v1/federation/planes/eu/accept', {}), 200);
      await plane.run();
      await seenAs(control, 'eu', 'ok');
    }),
    check(
      '[federation.last-good] while the control plane is unavailable, the last good configuration stays in force',
      async () => {
        network.cut();
        await putAtControl('allow', [tokens.old]);
        assert.equal(await plane.run(), 'unreachable');
        assert.equal(expectStatus(await plane.act(), 200).decision, 'review');
        network.mend();
        await plane.adopts('allow');
        await plane.run();
        assert.equal((await seenAs(control, 'eu', 'ok')).behind, 0);
      },
    ),
    check('[federation.token] a token is replaced while the plane keeps working', async () => {
      await putAtControl('allow', [tokens.old, tokens.next]);
      await until('the new token to count', 60, async () => (await configOf(tokens.next)).status === 200);
      await plane.giveToken(tokens.next);
      await putAtControl('block', [tokens.next]);
      await until('the old token to count no more', 60, async () => (await configOf(tokens.old)).status === 401);
      await plane.adopts('block');
      await plane.run();
      await seenAs(control, 'eu', 'ok').finally(() => network.stop());
    }),
  ];
}
