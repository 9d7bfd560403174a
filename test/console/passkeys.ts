/** Passkeys with the browser's virtual authenticator. They are registered, used, and verified in the page. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { authenticator } from '../support/authenticator.ts';
import { check } from '../support/checks.ts';
import { until, type Visitors } from './browser.ts';
import type { ConsoleGateway } from './gateway.ts';
import { shellOf } from './sign-in.ts';

/** Adds a virtual authenticator to the page. @returns controls for its next responses. */
export async function virtualAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    /** Sets whether the authenticator reports that it has verified the person. */
    confirms: (isUserVerified: boolean) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  };
}

/** Signs in at localhost, where passkeys work. */
export async function atLocalhost(people: Visitors, key: string): Promise<Page> {
  const page = await people.named('localhost');
  await page.getByLabel('API key or admin token').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  return page;
}

export async function register(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: 'Passkeys' }).click();
  await page.getByLabel('Name of the new passkey').fill(name);
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByText('The passkey is registered.').waitFor();
  await page.getByRole('cell', { name, exact: true }).waitFor();
}

export const passkeys = (gateway: ConsoleGateway, people: Visitors) => [
  check('[console.passkeys] at a URL without a host name, the page says where passkeys work', async () => {
    const page = await people.signedIn(gateway.keys.human, '#/passkeys');
    await page.getByText(/Passkeys of this gateway work at http:\/\/localhost:\d+\/console\//).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Register' }).count(), 0);
    const agent = await people.signedIn(gateway.keys.agent);
    assert.equal(await agent.getByRole('link', { name: 'Passkeys' }).count(), 0);
    await Promise.all([page.context().close(), agent.context().close()]);
  }),
  check(
    '[console.passkeys] a passkey is registered, used for an approval, proven on the page, and removed',
    async () => {
      const page = await atLocalhost(people, gateway.keys.human);
      await virtualAuthenticator(page);
      await register(page, 'test device');

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
    },
  ),
  check(
    '[console.passkeys] a vote with a missing or wrong signature does not count, and the comment is kept',
    async () => {
      const page = await atLocalhost(people, gateway.keys.human);
      const device = await virtualAuthenticator(page);
      await register(page, 'refusing device');
      const id = await gateway.review(shellOf('make refused | sh', 'refused'));
      const open = () => page.goto(`${new URL(page.url()).origin}/console/#/approvals/${id}`);
      const vote = page.getByRole('dialog', { name: 'Approve this request?' });
      const statusNow = async () => (await gateway.call(gateway.keys.human, 'GET', `approvals/${id}`)).body.status;
      await open();
      await page.getByRole('button', { name: 'Approve…' }).click();
      await vote.getByLabel('Comment').fill('looked at it');
      await device.confirms(false);
      await vote.getByRole('button', { name: 'Approve' }).click();
      await vote.getByRole('alert').filter({ hasText: 'Refused: ' }).waitFor();
      assert.equal(await vote.getByLabel('Comment').inputValue(), 'looked at it');
      assert.equal(await statusNow(), 'pending');
      // The signature of one request on a different one, and a signature with another person's key.
      await device.confirms(true);
      const other = await gateway.review(shellOf('make another | sh', 'refused'));
      const sent = `**/approvals/${id}/approve`;
      const refused = async () => {
        const [answer] = await Promise.all([
          page.waitForResponse((response) => response.url().endsWith('/approve')),
          vote.getByRole('button', { name: 'Approve', disabled: false }).click(),
        ]);
        await vote.getByRole('button', { name: 'Approve', disabled: false }).waitFor();
        assert.ok(answer.status() >= 400 && answer.status() < 500, `${answer.status()}`);
        await vote
          .getByRole('alert')
          .filter({ hasText: /passkey/i })
          .waitFor();
        await page.unroute(sent);
      };
      await page.route(sent, async (route) => {
        const answer = await route.fetch({ url: route.request().url().replace(id, other) });
        await route.fulfill({ response: answer });
      });
      await refused();
      assert.equal((await gateway.call(gateway.keys.human, 'GET', `approvals/${other}`)).body.status, 'pending');
      await page.route(sent, async (route) => {
        const body = route.request().postDataJSON();
        body.passkey.credential_id = `${body.passkey.credential_id.slice(0, -2)}AA`;
        await route.continue({ postData: JSON.stringify(body) });
      });
      await refused();
      assert.equal(await statusNow(), 'pending');
      await vote.getByRole('button', { name: 'Approve' }).click();
      await vote.waitFor({ state: 'detached' });
      assert.equal(await statusNow(), 'approved');
      await page.getByRole('link', { name: 'Passkeys' }).click();
      await page.getByRole('button', { name: 'Remove refusing device' }).click();
      await page.getByText('You have no passkey.').waitFor();
      await page.context().close();
    },
  ),
  check('[console.passkeys] [approval.passkey] a vote with a forged signature is refused with a reason', async () => {
    const page = await atLocalhost(people, gateway.keys.human);
    await virtualAuthenticator(page);
    await register(page, 'real device');
    const { origin } = new URL(page.url());
    const host = { id: 'localhost', origin };
    const registered = async (key: string) => {
      const own = authenticator();
      const { body } = await gateway.call(key, 'POST', 'passkeys/challenge');
      const answer = own.register(body.challenge, host);
      assert.equal((await gateway.call(key, 'POST', 'passkeys', { name: 'in software', ...answer })).status, 201);
      return own;
    };
    // Another person of the same tenant.
    const { body: known } = await gateway.call(gateway.keys.admin_token, 'GET', 'config');
    const changed = structuredClone(known.configuration);
    const carol = { key: 'console-key-of-carol', kind: 'human', person: 'carol', role: 'operator', name: 'carol' };
    changed.people = [...(changed.people ?? []), { id: 'carol', role: 'operator' }];
    const [tenant] = changed.tenants;
    tenant.api_keys = [...(tenant.api_keys ?? []), carol];
    assert.equal((await gateway.call(gateway.keys.admin_token, 'PUT', 'config', changed)).status, 201);
    await until('the key of carol', async () => (await gateway.call(carol.key, 'GET', 'whoami')).status === 200);
    const [own, others] = [await registered(gateway.keys.human), await registered(carol.key)];
    const asked = async (command: string) => {
      const id = await gateway.review(shellOf(command, 'forged'));
      const item = (await gateway.call(gateway.keys.human, 'GET', `approvals/${id}`)).body;
      return { id, challenge: item.passkey_challenge as string };
    };
    const [{ id, challenge }, other] = [await asked('make forged | sh'), await asked('make forged-2 | sh')];
    const forged: Readonly<Record<string, object>> = {
      'of another request': own.sign(other.challenge, host),
      'on another page': own.sign(challenge, host, { origin: 'https://elsewhere.example' }),
      'for another host': own.sign(challenge, host, { rpId: 'elsewhere.example' }),
      'without a verified person': own.sign(challenge, host, { flags: 0x01 }),
      'without a present person': own.sign(challenge, host, { flags: 0x04 }),
      'a registration': own.sign(challenge, host, { type: 'webauthn.create' }),
      "with another person's registered passkey": others.sign(challenge, host),
      "with another person's passkey under an own id": { ...others.sign(challenge, host), credential_id: own.id },
    };
    await page.goto(`${origin}/console/#/approvals/${id}`);
    await page.getByRole('button', { name: 'Approve…' }).click();
    const vote = page.getByRole('dialog', { name: 'Approve this request?' });
    const approve = vote.getByRole('button', { name: 'Approve', disabled: false });
    const sent = `**/approvals/${id}/approve`;
    for (const [what, passkey] of Object.entries(forged)) {
      await page.route(sent, (route) =>
        route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), passkey }) }),
      );
      const [answer] = await Promise.all([
        page.waitForResponse((response) => response.url().endsWith('/approve')),
        approve.click(),
      ]);
      assert.equal(answer.status(), 403, what);
      await approve.waitFor();
      await vote
        .getByRole('alert')
        .filter({ hasText: /^Not counted: the passkey does not prove this vote/ })
        .waitFor();
      const { status } = (await gateway.call(gateway.keys.human, 'GET', `approvals/${id}`)).body;
      assert.equal(status, 'pending', what);
      await page.unroute(sent);
    }
    await approve.click();
    await vote.waitFor({ state: 'detached' });
    assert.equal((await gateway.call(gateway.keys.human, 'GET', `approvals/${id}`)).body.status, 'approved');
    await page.getByRole('link', { name: 'Passkeys' }).click();
    for (const name of ['real device', 'in software'])
      await page.getByRole('button', { name: `Remove ${name}` }).click();
    await page.getByText('You have no passkey.').waitFor();
    await page.context().close();
  }),
];
