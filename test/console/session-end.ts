/**
 * A key that becomes invalid while a page is open. Its check stores versions, so it runs after the checks that refer to
 * the first version.
 */
import assert from 'node:assert/strict';
import { check } from '../support/checks.ts';
import { until, type Visitors } from './browser.ts';
import type { ConsoleGateway } from './gateway.ts';
import { shellOf } from './sign-in.ts';

export const sessionEnd = (gateway: ConsoleGateway, people: Visitors) => [
  check(
    '[console.session-end] a comment is kept after signing in again, and another person starts with fresh pages',
    async () => {
      const { admin_token, human } = gateway.keys;
      const { body } = await gateway.call(admin_token, 'GET', 'config');
      const untilKnown = (key: string, status: number) =>
        until(
          `${key} is answered with ${status}`,
          async () => (await gateway.call(key, 'GET', 'whoami')).status === status,
        );
      const withKey = async (key: string) => {
        const changed = structuredClone(body.configuration);
        changed.people.push({ id: 'dora', role: 'operator' });
        changed.tenants[0].api_keys.push({ key, kind: 'human', person: 'dora', name: 'dora' });
        assert.equal((await gateway.call(admin_token, 'PUT', 'config', changed)).status, 201);
        await untilKnown(key, 200);
      };
      await withKey('dora-first-key');
      const id = await gateway.review(shellOf('make session-end | sh', 'session-end'));
      const page = await people.signedIn('dora-first-key', `#/approvals/${id}`);
      const vote = page.getByRole('dialog', { name: 'Deny this request?' });
      const again = page.getByRole('dialog', { name: 'Sign in again' });
      await page.getByRole('button', { name: 'Deny…' }).click();
      await vote.getByLabel('Comment').fill('Half of a long sent');
      await withKey('dora-second-key');
      await vote.getByRole('button', { name: 'Deny' }).click();
      await again.getByText('The gateway no longer accepts this key.').waitFor();
      assert.equal(await page.evaluate('sessionStorage.length'), 0);
      for (let times = 0; times < 6; times++) await page.keyboard.press('Escape');
      await again.waitFor();
      await again.getByLabel('API key or admin token').fill('dora-first-key');
      await again.getByRole('button', { name: 'Sign in' }).click();
      await again.getByRole('alert').filter({ hasText: /key/i }).waitFor();
      await again.getByLabel('API key or admin token').fill('dora-second-key');
      await again.getByRole('button', { name: 'Sign in' }).click();
      await again.waitFor({ state: 'detached' });
      assert.equal(await vote.getByLabel('Comment').inputValue(), 'Half of a long sent');
      await vote.getByLabel('Comment').press('End');
      await page.keyboard.type('ence');
      await vote.getByRole('button', { name: 'Deny' }).click();
      await vote.waitFor({ state: 'detached' });
      const denied = (await gateway.call(human, 'GET', `approvals/${id}`)).body;
      assert.deepEqual([denied.status, denied.person, denied.comment], ['denied', 'dora', 'Half of a long sentence']);

      const next = await gateway.review(shellOf('make session-end-2 | sh', 'session-end'));
      await page.goto(`${gateway.url}/console/#/approvals/${next}`);
      await page.getByRole('button', { name: 'Deny…' }).click();
      await vote.getByLabel('Comment').fill("dora's words");
      assert.equal((await gateway.call(admin_token, 'PUT', 'config', body.configuration)).status, 201);
      await untilKnown('dora-second-key', 401);
      await vote.getByRole('button', { name: 'Deny' }).click();
      await again.getByLabel('API key or admin token').fill(human);
      await again.getByRole('button', { name: 'Sign in' }).click();
      await again.waitFor({ state: 'detached' });
      await vote.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Deny…' }).click();
      assert.equal(await vote.getByLabel('Comment').inputValue(), '');
      await page.context().close();
    },
  ),
];
