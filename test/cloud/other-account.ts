/**
 * Deploys the stacks in another account, as a data plane of the first. This needs a second emulator, because one
 * emulator resolves an API without AWS credentials in only one account.
 */
import assert from 'node:assert/strict';
import { type Check, check } from '../support/checks.ts';
import { addressOf, type Call, expectStatus } from './caller.ts';
import { asYaml, type DataPlane, deployDataPlane, federationOf, newToken, seenAs } from './data-plane.ts';
import { gateway, type Outputs } from './deployment.ts';
import { type Emulator, startEmulator } from './emulator.ts';

const account = '111111111111';
const tokens = { ap: newToken(), eu: newToken() };

export interface OtherAccount {
  readonly checks: Check[];
  /** Stops the emulator of that account, regardless of how far the checks got. */
  stop(): Promise<void>;
}

export function otherAccount(
  emulator: Emulator,
  outputs: Outputs,
  { call: control, configuration }: { call: Call; configuration: string },
): OtherAccount {
  let other: Emulator | undefined;
  let plane: DataPlane;
  const put = async (decision: string) => {
    const rule = 'tool: scm.get_file, decision: ';
    const federation = federationOf({ ap: [tokens.ap], eu: [tokens.eu] });
    const text = configuration.replace(`${rule}allow`, `${rule}${decision}`) + federation;
    expectStatus(await control('admin', 'PUT /admin/v1/config', text, asYaml), 201);
  };

  const checks = [
    check('[cloud.name] the stacks are deployed under the same name in another account, as a data plane', async () => {
      other = await startEmulator(account, 'other-account');
      plane = await deployDataPlane(other, 'ap', { name: gateway.name, region: 'ap-south-1' });
      assert.match(plane.outputs.GatewayServices.ApprovalStateMachineArn, /:ap-south-1:111111111111:/);
      await plane.giveToken(tokens.eu);
    }),
    check('[federation.token] with another plane’s token, the data plane gets no configuration', async () => {
      await put('review');
      await seenAs(control, 'ap', 'never_seen');
      const { public_key_sha256 } = expectStatus(await control('admin', 'GET /admin/v1/federation/planes'), 200);
      await plane.join(addressOf(emulator, outputs.GatewayServices.AdminApiId), public_key_sha256);
      assert.equal(await plane.run(), 'refused');
      expectStatus(await plane.act(), 503);
      const { federation } = expectStatus(await plane.call('admin', 'GET /admin/v1/health/detailed'), 200);
      assert.match(federation.refused, /answered 403/);
    }),
    check(
      '[cloud.name] with its own token, the data plane adopts the control plane’s configuration and reports to it',
      async () => {
        await plane.giveToken(tokens.ap);
        await plane.adopts('review');
        await plane.run();
        assert.equal((await seenAs(control, 'ap', 'ok')).behind, 0);
        await put('block');
        await plane.adopts('block');
      },
    ),
    check('[federation.status] a chain removed on the data plane is detected by the control plane', async () => {
      for (const name of ['account-gone', 'account-stays']) expectStatus(await plane.act(name), 200);
      await plane.run();
      assert.equal((await seenAs(control, 'ap', 'ok')).divergence, undefined);
      await plane.attacker.remove('account-gone');
      await plane.run();
      const { divergence, divergences } = await seenAs(control, 'ap', 'diverged');
      assert.equal(divergence.session_id, 'account-gone');
      assert.equal(divergences, 1);
    }),
  ];
  return { checks, stop: async () => other?.stop() };
}
