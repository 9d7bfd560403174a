/** The console frame: the start page, navigation, search, light and dark mode, and the system lists. */
import assert from 'node:assert/strict';
import { check } from '../support/checks.ts';
import { closeAnswered, until, type Visitors } from './browser.ts';
import type { ConsoleGateway } from './gateway.ts';
import { shellOf } from './sign-in.ts';

export const frame = (gateway: ConsoleGateway, people: Visitors) => {
  const { human, viewer, admin_token } = gateway.keys;
  return [
    check('[console.overview] the first page shows what needs attention, and each card links to its page', async () => {
      const id = await gateway.review(shellOf('make overview | sh', 'overview'));
      const page = await people.signedIn(human, '');
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      const cards = [
        'Pending approvals',
        'Decisions today',
        'Spend',
        'Providers',
        'MCP servers',
        'Evidence',
        'Open alerts',
      ];
      for (const card of cards) {
        const region = page.getByRole('region', { name: card });
        await region.getByRole('link', { name: `: ${card}` }).waitFor();
        await region.getByText('Loading…').waitFor({ state: 'detached' });
        assert.equal(await region.getByText('Trying again').count(), 0, card);
      }
      await page.getByRole('region', { name: 'Pending approvals' }).getByRole('link', { name: 'Review' }).click();
      await page.locator(`a[href="#/approvals/${id}"]`).waitFor();
      await page.context().close();
      const other = await people.signedIn(viewer, '');
      await other.getByRole('region', { name: 'Pending approvals' }).getByText('pending, the oldest for').waitFor();
      await other.context().close();
    }),
    check(
      '[console.navigation] the open page is marked, and on a narrow screen the pages are in a drawer',
      async () => {
        const id = await gateway.review(shellOf('make navigation | sh', 'navigation'));
        const page = await people.signedIn(human, '#/overview', { viewport: { width: 390, height: 800 } });
        assert.equal(await page.getByRole('navigation', { name: 'Pages' }).count(), 0);
        await page.getByRole('button', { name: 'Menu' }).click();
        const pages = page.getByRole('dialog', { name: 'Menu' }).getByRole('navigation', { name: 'Pages' });
        await pages.getByRole('link', { name: /Approvals.*, \d+\+? pending/ }).waitFor();
        assert.equal(await pages.getByRole('link', { name: 'Overview' }).getAttribute('aria-current'), 'page');
        await pages.getByRole('link', { name: 'Health' }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
        await page.locator('h1:focus').waitFor();
        await page.getByRole('link', { name: /pending approvals$/ }).click();
        await page.locator(`a[href="#/approvals/${id}"]`).waitFor();
        await page.context().close();
      },
    ),
    check(
      '[console.navigation] a light or dark theme can be chosen, and the choice is kept in the browser',
      async () => {
        const page = await people.signedIn(human, '#/overview', { colorScheme: 'light' });
        const ground = () =>
          page.evaluate('getComputedStyle(document.documentElement).backgroundColor') as Promise<string>;
        const light = await ground();
        await page.getByText('Dark', { exact: true }).locator('..').click();
        await until('it is dark', async () => (await ground()) !== light);
        const dark = await ground();
        await page.reload();
        await page.getByRole('heading', { name: 'Overview' }).waitFor();
        assert.equal(await ground(), dark);
        await page.getByText('System colours').locator('..').click();
        await until('it is light', async () => (await ground()) === light);
        assert.equal(await page.evaluate('localStorage.length'), 0);
        await page.context().close();
      },
    ),
    check(
      '[console.palette] Ctrl+K finds pages, approvals and sessions, and opens them by keyboard alone',
      async () => {
        const id = await gateway.review(shellOf('make palette | sh', 'palette-session'));
        const page = await people.signedIn(human, '#/overview');
        await page.getByRole('heading', { name: 'Overview' }).waitFor();
        const field = page.getByRole('combobox', { name: 'Search pages' });
        const search = async (words: string, option: RegExp) => {
          // An open dialog consumes the key press, and the palette counts as a dialog until it has closed.
          await field.waitFor({ state: 'detached' });
          await page.keyboard.press('Control+k');
          await field.fill(words);
          await page.getByRole('option', { name: option }).first().waitFor();
        };
        await search('budg', /^Budgets/);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Budgets', level: 1 }).waitFor();
        await search('approval make palette', /make palette/);
        await page.keyboard.press('Enter');
        await page.getByRole('article').getByText('make palette').first().waitFor();
        await page.waitForURL(({ hash }) => hash.endsWith(id));
        await search('session palette-session', /palette-session/);
        await page.keyboard.press('Escape');
        await field.waitFor({ state: 'detached' });
        await page.keyboard.press('Control+k');
        await field.fill('nothing has these words');
        await page.getByRole('status').filter({ hasText: 'Nothing matches.' }).waitFor();
        await page.context().close();
      },
    ),
    check(
      '[console.servers] [console.providers] [console.plugins] servers, providers and plugins are listed',
      async () => {
        const page = await people.signedIn(admin_token, '#/providers');
        await page.getByRole('row').filter({ hasText: 'mock' }).first().waitFor();
        await page.getByRole('heading', { name: 'Response cache' }).waitFor();
        await page.goto(`${gateway.url}/console/#/plugins`);
        await page.getByText(/In force with policy version \d+/).waitFor();
        await page.route('**/admin/v1/health/detailed', async (route) => {
          const body = await (await route.fetch()).json();
          const server = {
            kind: 'mcp_server',
            name: 'notes',
            needed: false,
            state: 'down',
            reason: 'exited with code 1',
          };
          const dependencies = [...body.dependencies, { ...server, since: '2026-11-26T10:00:00.000Z' }];
          await route.fulfill({ json: { ...body, dependencies } });
        });
        await page.goto(`${gateway.url}/console/#/servers`);
        const row = page.getByRole('row').filter({ hasText: 'notes' });
        for (const text of ['MCP server', 'down', 'exited with code 1']) await row.getByText(text).first().waitFor();
        await closeAnswered(page);
      },
    ),
    check(
      '[console.keys] [console.evidence] keys are listed without secrets, and the transparency log is shown',
      async () => {
        const page = await people.signedIn(admin_token, '#/keys');
        await page.getByRole('row').filter({ hasText: 'local-agent' }).waitFor();
        const shown = await page.getByRole('main').textContent();
        for (const key of [human, viewer, gateway.keys.agent]) assert.ok(!shown?.includes(key));
        await page.goto(`${gateway.url}/console/#/evidence`);
        await page
          .getByRole('region', { name: 'Transparency log' })
          .getByText(/entr(y|ies)$/)
          .waitFor();
        await page.getByText('No witnesses').waitFor();
        await page.getByRole('table', { name: 'Signing keys' }).waitFor();
        await page.context().close();
      },
    ),
    check(
      '[console.people] people who may approve are listed with their last vote, and the search is kept in the URL',
      async () => {
        const id = await gateway.review(shellOf('make people | sh', 'people'));
        await gateway.call(human, 'POST', `approvals/${id}/deny`, { reviewer: 'local-human' });
        const narrow = { viewport: { width: 390, height: 800 } };
        const page = await people.signedIn(human, '#/people?q=local', narrow);
        const row = page.getByRole('row').filter({ hasText: 'local-human' });
        await row.getByText('operator').first().waitFor();
        await row.getByText(/^\d+ (s|min) ago$/).waitFor();
        assert.equal(await page.getByRole('row').filter({ hasText: 'platform-admin' }).count(), 0);
        await page.getByRole('searchbox', { name: 'Search' }).fill('');
        await page.getByRole('row').filter({ hasText: 'platform-admin' }).getByText('admin').first().waitFor();
        assert.equal(new URL(page.url()).hash, '#/people');
        await page.context().close();
        const other = await people.signedIn(viewer, '#/people');
        await other
          .getByRole('row')
          .filter({ hasText: 'local-human' })
          .getByText('key local-human (operator)')
          .waitFor();
        assert.equal(await other.getByRole('columnheader', { name: 'Last vote' }).count(), 0);
        await other.context().close();
      },
    ),
  ];
};
