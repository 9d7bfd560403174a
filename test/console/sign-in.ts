/** Sign-in: who is admitted, where the key is kept, and what each role sees. */
import assert from 'node:assert/strict';
import { check } from '../support/checks.ts';
import type { Visitors } from './browser.ts';
import type { ConsoleGateway } from './gateway.ts';

export const signIn = (gateway: ConsoleGateway, people: Visitors) => [
  check(
    '[console.sign-in] a wrong key is refused with a readable message; a right one opens the overview',
    async () => {
      const page = await people.open('');
      await page.getByLabel('API key or admin token').fill('not-a-key');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').filter({ hasText: 'The gateway does not know this key.' }).waitFor();
      assert.equal(await page.getByText('X-API-Key').count(), 0);
      await page.getByLabel('API key or admin token').fill(gateway.keys.human);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.context().close();
    },
  ),
  check('[console.sign-in] the key is kept only in this tab, and signing out removes it', async () => {
    const page = await people.signedIn(gateway.keys.human, '');
    const kept = (expression: string) => page.evaluate(expression) as Promise<string>;
    assert.match(await kept('JSON.stringify({ ...sessionStorage })'), new RegExp(gateway.keys.human));
    assert.doesNotMatch(await kept('JSON.stringify({ ...localStorage })'), new RegExp(gateway.keys.human));
    assert.deepEqual(await page.context().cookies(), []);
    assert.ok(!page.url().includes(gateway.keys.human));
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${gateway.url}/console/`);
    await other.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    assert.equal(await kept('JSON.stringify({ ...sessionStorage })'), '{}');
    assert.ok(!people.asked.some((asked) => asked.includes(gateway.keys.human)));
    await page.context().close();
  }),
  check(
    '[console.sign-in-link] the printed link opens the console once, and its token is removed from the URL',
    async () => {
      assert.match(gateway.signInUrl, /#sign-in=/);
      const hash = gateway.signInUrl.slice(gateway.signInUrl.indexOf('#'));
      const page = await people.open(hash);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      assert.ok(!page.url().includes('sign-in='));
      await page.reload();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      const again = await people.open(hash);
      await again.getByRole('alert').filter({ hasText: 'This link was used or has expired' }).waitFor();
      assert.ok(!people.asked.some((asked) => asked.includes(hash.slice(9))));
      await Promise.all([page.context().close(), again.context().close()]);
    },
  ),
  check('[console.roles] a key that may not vote sees requests without buttons', async () => {
    const id = await gateway.review(shellOf('make roles | sh', 'roles'));
    const page = await people.signedIn(gateway.keys.agent, `#/approvals/${id}`);
    await page.getByRole('heading', { name: 'What would run' }).waitFor();
    await page.getByText('This key can see approvals but cannot vote.').waitFor();
    assert.equal(await page.getByRole('button', { name: /Approve|Deny/ }).count(), 0);
    await page.keyboard.press('a');
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.context().close();
  }),
  check('[console.roles] each key is offered its own pages; other URLs name the key they require', async () => {
    const { viewer, agent, human } = gateway.keys;
    const offered = async (key: string, hash = '') => {
      const page = await people.signedIn(key, hash);
      const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents();
      const names = links.map((text) => text.replace(/\d.*/, ''));
      return { page, names };
    };
    const observe = ['Overview', 'Traffic', 'Alerts', 'Budgets'];
    const govern = ['Policies', 'Tools', 'Servers', 'Providers'];
    const system = ['Health', 'Evidence', 'Plugins'];
    for (const [key, names, first] of [
      [viewer, [...observe, ...govern, 'Keys', 'People', ...system], 'Overview'],
      [agent, ['Approvals', 'Sessions'], 'Approvals'],
      [
        human,
        [
          ...['Approvals', 'Sessions', 'Overview', 'Traffic', 'Requests', 'Alerts', 'Budgets'],
          ...[...govern, 'Rollouts', 'Keys', 'Credentials', 'Passkeys', 'People', ...system],
        ],
        'Overview',
      ],
    ] as const) {
      const { page, names: found } = await offered(key);
      assert.deepEqual(found, names);
      await page.getByRole('heading', { name: first, level: 1 }).waitFor();
      await page.context().close();
    }
    const linked = await offered(viewer, '#/approvals/0197a3c2-7d1e-7000-8000-000000000001');
    await linked.page.getByText('This key has the role viewer; this page needs operator or admin.').waitFor();
    await linked.page.getByRole('button', { name: 'Sign out' }).click();
    await linked.page.getByLabel('API key or admin token').fill(human);
    await linked.page.getByRole('button', { name: 'Sign in' }).click();
    await linked.page.getByText('0197a3c2-7d1e-7000-8000-000000000001').first().waitFor();
    await linked.page.context().close();
    const { page } = await offered(agent, '#/traffic');
    await page.getByText('This key is of kind agent; this page needs a key of kind human or service.').waitFor();
    await page.context().close();
  }),
];

export const shellOf = (command: string, session: string, others: Readonly<Record<string, unknown>> = {}) => ({
  protocol: 'shell',
  tool: 'shell.run',
  target: 'ci',
  capability: 'execute',
  parameters: { command },
  actor: { agent: 'release-bot', session },
  justification: 'the release is due',
  ...others,
});
