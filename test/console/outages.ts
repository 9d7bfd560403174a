/**
 * The gateway goes down and comes back while a page is open. At the end, pages must not have committed any offence
 * during the whole run.
 */
import assert from 'node:assert/strict';
import { check } from '../support/checks.ts';
import { closeAnswered, type Visitors } from './browser.ts';
import type { ConsoleGateway } from './gateway.ts';
import { shellOf } from './sign-in.ts';

export const outages = (gateway: ConsoleGateway, people: Visitors) => [
  check(
    '[console.outage] during an outage the last response stays visible, and the outcome of the vote is reported as unknown',
    async () => {
      const id = await gateway.review(shellOf('make outage | sh', 'outage'));
      const page = await people.signedIn(gateway.keys.human, `#/approvals/${id}`);
      await page.getByRole('button', { name: 'Deny…' }).click();
      await gateway.down();
      await page.getByRole('dialog').getByRole('button', { name: 'Deny' }).click();
      await page.getByRole('alert').filter({ hasText: 'it is not known whether the vote counts' }).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('The gateway does not answer.').first().waitFor();
      await page.locator(`a[href="#/approvals/${id}"]`).waitFor();
      await gateway.up();
      await page.getByText('The gateway does not answer.').first().waitFor({ state: 'detached' });
      const { body } = await gateway.call(gateway.keys.human, 'GET', `approvals/${id}`);
      assert.equal(body.status, 'pending');
      await page.context().close();
    },
  ),
  check(
    '[console.outage] if a server error or a proxy answers a vote, its outcome is reported as unknown, never as refused',
    async () => {
      const id = await gateway.review(shellOf('make proxy | sh', 'proxy'));
      const page = await people.signedIn(gateway.keys.human, `#/approvals/${id}`);
      const error = JSON.stringify({ error: { type: 'internal_error', message: 'The request failed.' } });
      const answers = [
        { status: 500, body: error, says: /^The request failed\. It is not known whether the vote counts\./ },
        { status: 503, body: '<html></html>', says: /answered 503 without a reason\. .* It is not known/ },
        { status: 200, body: '<html></html>', says: /^The response is not JSON, .* It is not known/ },
        { status: 403, body: error, says: /^Refused: The request failed\.$/ },
      ];
      for (const { status, body, says } of answers) {
        await page.route('**/deny', (route) => route.fulfill({ status, body }));
        await page.getByRole('button', { name: 'Deny…' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Deny' }).click();
        await page.getByRole('dialog').getByRole('alert').filter({ hasText: /\S/ }).waitFor();
        assert.match(await page.getByRole('dialog').getByRole('alert').innerText(), says);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.unroute('**/deny');
      }
      assert.equal((await gateway.call(gateway.keys.human, 'GET', `approvals/${id}`)).body.status, 'pending');
      await closeAnswered(page);
    },
  ),
  check('[console.own-origin] no page contacted another host, opened a dialog or raised an error', async () => {
    assert.ok(people.asked.length > 0);
    assert.deepEqual(people.offences, []);
  }),
];
