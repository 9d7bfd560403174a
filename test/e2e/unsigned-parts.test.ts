/** A configuration file that `require_signed` refuses, both while the gateway runs and at its start. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ask, type Fields, until, workFolder } from './client.ts';

const file = join(workFolder(), 'gateway.yaml');
const write = (toolPolicies: string) =>
  writeFileSync(
    file,
    `version: 1\ntenants: [{ id: acme, api_keys: [{ key: key-of-acme-1 }] }]\ntool_policies: ${toolPolicies}\n`,
  );

let gateway: Gateway;
beforeAll(async () => {
  write('{ pack: readonly }');
  gateway = await startGateway({ config: file, state: workFolder(), args: ['--no-edge'] });
});
afterAll(() => gateway?.stop());

const refusals = async () => {
  const { body } = await ask<{ acts: Fields[] }>(gateway.ready.admin_url, 'GET', '/admin/v1/supply-chain', {
    key: gateway.keys.admin_token,
  });
  return body.acts.filter(({ reason }) => reason === 'unsigned');
};

test('[supply-chain.require-signed] a changed file without a signature is refused and recorded, both on reload and at startup', async () => {
  write('{ pack: readonly, require_signed: true }');
  await until('the refusal of the file', async () => ((await refusals()).length === 1 ? true : undefined));
  await expect(gateway.restart()).rejects.toThrow(/without a valid signature/);
  write('{ pack: readonly }');
  await gateway.restart();
  const found = await refusals();
  expect(found).toHaveLength(2);
  for (const each of found) expect(each).toMatchObject({ act: 'refuse', name: 'readonly', by: 'file' });
});
