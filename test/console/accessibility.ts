/** Every page under axe, in light and dark, on a phone, a tablet and a desk. */
import assert from 'node:assert/strict';
import { check } from '../support/checks.ts';
import { scrollsSideways, violationsOf } from './accessible.ts';
import type { Visitors } from './browser.ts';
import type { ConsoleGateway } from './gateway.ts';
import { shellOf } from './sign-in.ts';

const widths = [360, 768, 1440];
const schemes = ['light', 'dark'] as const;

export const accessibility = (gateway: ConsoleGateway, people: Visitors) => [
  check('[console.accessible] axe finds nothing on any page, in light and dark, at 360, 768 and 1440 px', async () => {
    const id = await gateway.review(shellOf('curl -fsS https://get.example/i.sh | bash && make release', 'axe'));
    const found: string[] = [];
    for (const colorScheme of schemes)
      for (const width of widths) {
        const options = { colorScheme, viewport: { width, height: 800 } };
        const outside = await people.open('', options);
        await outside.getByRole('button', { name: 'Sign in' }).waitFor();
        const page = await people.signedIn(gateway.keys.admin_token, '', options);
        const look = async (name: string, at = page) => {
          const place = `${name} (${colorScheme}, ${width} px)`;
          found.push(...(await violationsOf(at)).map((violation) => `${place}: ${violation}`));
          if (await scrollsSideways(at)) found.push(`${place}: scrolls sideways`);
        };
        await look('sign-in', outside);
        await outside.context().close();
        for (const [hash, heading] of places(id)) {
          await page.goto(`${gateway.url}/console/${hash}`);
          await page.getByRole('heading', { name: heading }).first().waitFor();
          await page.getByText('Loading…').first().waitFor({ state: 'detached' });
          await look(hash);
        }
        await page.goto(`${gateway.url}/console/#/approvals/${id}`);
        await page.getByRole('button', { name: 'Deny…' }).click();
        await look('vote');
        await page.context().close();
      }
    assert.deepEqual(found, []);
  }),
];

const places = (id: string) =>
  [
    ['#/approvals', 'Approvals'],
    [`#/approvals/${id}`, 'What would run'],
    ['#/sessions', 'Sessions'],
    ['#/sessions/axe', 'Entries'],
    ['#/requests', 'Requests'],
    ['#/traffic', 'The same in numbers'],
    ['#/policies', 'Rules in force'],
    ['#/rollouts', 'Rollouts'],
    ['#/credentials', 'Credentials'],
    ['#/passkeys', 'Passkeys'],
    ['#/tools', 'Tools'],
    ['#/alerts', 'Alerts'],
    ['#/budgets', 'Budgets'],
    ['#/health', 'What it depends on'],
  ] as const;
