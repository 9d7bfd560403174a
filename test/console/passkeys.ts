/** Passkeys with the virtual authenticator of the browser: registered, used, verified in the page. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { check } from '../support/checks.ts';
import type { Visitors } from './browser.ts';
import type { ConsoleGateway } from './gateway.ts';
import { shellOf } from './sign-in.ts';

async function virtualAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
}

export const passkeys = (gateway: ConsoleGateway, people: Visitors) => [
  check('[console.passkeys] at an address without a name the page says where passkeys work', async () => {
    const page = await people.signedIn(gateway.keys.human, '#/passkeys');
    await page.getByText(/Passkeys of this gateway work at http:\/\/localhost:\d+\/console\//).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Register' }).count(), 0);
    const agent = await people.signedIn(gateway.keys.agent);
    assert.equal(await agent.getByRole('link', { name: 'Passkeys' }).count(), 0);
    await Promise.all([page.context().close(), agent.context().close()]);
  }),
  check('[console.passkeys] registered, used for an approval, proven in the page, and removed', async () => {
    const page = await people.named('localhost');
    await virtualAuthenticator(page);
    await page.getByLabel('API key or admin token').fill(gateway.keys.human);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Passkeys' }).click();
    await page.getByLabel('Name of the new passkey').fill('test device');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('The passkey is registered.').waitFor();
    await page.getByRole('cell', { name: 'test device', exact: true }).waitFor();

    const id = await gateway.review(shellOf('make passkey | sh', 'passkey'));
    await page.goto(`${new URL(page.url()).origin}/console/#/approvals/${id}`);
    await page.getByRole('button', { name: 'Approve…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal((await gateway.call(gateway.keys.human, 'GET', `approvals/${id}`)).body.status, 'approved');

    await page.goto(`${new URL(page.url()).origin}/console/#/sessions/passkey`);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('1 vote is signed with a passkey, and proven').waitFor();

    await page.getByRole('link', { name: 'Passkeys' }).click();
    await page.getByRole('button', { name: 'Remove test device' }).click();
    await page.getByText('You have no passkey.').waitFor();
    await page.context().close();
  }),
];
