/** Traffic and budgets at one level of an organisation. */
import { strict as assert } from 'node:assert';
import { type Check, check } from '../support/checks.ts';
import type { Visitors } from './browser.ts';
import type { ConsoleGateway } from './gateway.ts';

const organizations = [
  {
    id: 'acme',
    teams: [
      {
        id: 'web',
        projects: [{ id: 'shop', environments: [{ id: 'production', kind: 'production', tenant: 'default' }] }],
      },
    ],
  },
];

export const levels = (gateway: ConsoleGateway, people: Visitors): Check[] => [
  check('[console.levels] traffic and budgets are shown for one part of the organisation', async () => {
    const { admin_token } = gateway.keys;
    const { body } = await gateway.call(admin_token, 'GET', 'config');
    const plain = await people.signedIn(admin_token, '#/traffic');
    await plain.getByRole('heading', { name: 'By decision' }).waitFor();
    assert.equal(await plain.getByLabel('Part of the organisation').count(), 0);
    await plain.context().close();
    const budgets = { ...body.configuration.budgets, tenants: { default: { monthly_usd: 7 } } };
    const changed = await gateway.call(admin_token, 'PUT', 'config', { ...body.configuration, organizations, budgets });
    assert.equal(changed.status, 201, JSON.stringify(changed.body));
    const page = await people.signedIn(admin_token, '#/traffic');
    const level = page.getByLabel('Part of the organisation');
    await level.selectOption('acme/web');
    await page.getByRole('heading', { name: 'By decision' }).waitFor();
    await page.waitForURL(/path=acme%2Fweb/);
    await page.getByRole('link', { name: 'Budgets' }).click();
    await page.getByRole('heading', { name: 'Rate limit of this tenant' }).waitFor();
    await level.selectOption('acme/web/shop');
    await page.getByRole('row').filter({ hasText: ' of default' }).filter({ hasText: '$7.00' }).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Rate limit of this tenant' }).count(), 0);
    await page.context().close();
    assert.equal((await gateway.call(admin_token, 'POST', 'policy-versions/1/rollback')).status, 200);
  }),
];
