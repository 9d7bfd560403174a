/** Identical calls in one session, for which the policy lets a person vote in one step. */
import assert from 'node:assert/strict';
import { type Check, check } from '../support/checks.ts';
import type { Visitors } from './browser.ts';
import type { ConsoleGateway } from './gateway.ts';

const rule = { protocol: 'git', tool: 'scm.publish', decision: 'review', approval: { together: true } };
const keys = ['ci', 'deploy', 'nightly'].map((name) => ({ key: `together-${name}`, kind: 'service', name }));

export const together = (gateway: ConsoleGateway, people: Visitors): Check[] => [
  check('[approval.together] identical calls get one vote each, and a vote that does not count is named', async () => {
    const { admin_token, human } = gateway.keys;
    const { configuration } = (await gateway.call(admin_token, 'GET', 'config')).body;
    const [first, ...others] = configuration.tenants;
    const changed = await gateway.call(admin_token, 'PUT', 'config', {
      ...configuration,
      tenants: [{ ...first, api_keys: [...first.api_keys, ...keys] }, ...others],
      tool_policies: { ...configuration.tool_policies, rules: [rule, ...configuration.tool_policies.rules] },
    });
    assert.equal(changed.status, 201, JSON.stringify(changed.body));
    const asked = async (name: string, to: string): Promise<string> => {
      const request = { protocol: 'git', tool: 'scm.publish', target: 'acme/shop', capability: 'write' };
      const made = { ...request, parameters: { to }, actor: { agent: name, session: 'together' } };
      return (await gateway.call(`together-${name}`, 'POST', 'test-action', made)).body.envelope_id;
    };
    const [ci, deploy, nightly] = [
      await asked('ci', 'all'),
      await asked('deploy', 'all'),
      await asked('nightly', 'few'),
    ];
    const statusOf = async (id: string) => (await gateway.call(human, 'GET', `approvals/${id}`)).body.status;

    const page = await people.signedIn(human, `#/approvals/${nightly}`);
    await page.getByRole('button', { name: 'Approve…' }).waitFor();
    assert.equal(await page.getByRole('button', { name: /identical/ }).count(), 0);
    await page.goto(`${gateway.url}/console/#/approvals/${ci}`);
    await page.getByRole('button', { name: 'Approve all 2 identical calls…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Approve 2 identical calls?' });
    const calls = dialog.getByRole('list', { name: 'Identical calls' }).getByRole('listitem');
    await calls.nth(1).waitFor();
    assert.deepEqual(await calls.allTextContents(), ['ci: not sent', 'deploy: not sent']);
    await gateway.call(human, 'POST', `approvals/${deploy}/deny`, { reviewer: 'local-human' });
    await dialog.getByLabel('Comment').fill('Release day.');
    await dialog.getByRole('button', { name: 'Approve all 2' }).click();
    await dialog.getByRole('alert').getByText('1 of 2 votes did not count.').waitFor();
    await calls.getByText('ci: approved').waitFor();
    await calls.getByText('Not counted: Approval').getByText('is already denied').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Approve' }).count(), 0);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByText('Release day.').waitFor();
    assert.deepEqual(await Promise.all([ci, deploy, nightly].map(statusOf)), ['approved', 'denied', 'pending']);
    await page.context().close();
    assert.equal((await gateway.call(admin_token, 'POST', 'policy-versions/1/rollback')).status, 200);
  }),
];
