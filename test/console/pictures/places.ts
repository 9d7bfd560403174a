/** Pages whose pictures are taken. */
import type { Page } from 'playwright-core';

export interface Place {
  /** File name of the page's pictures. */
  readonly name: string;
  readonly hash: string;
  /** A heading of the page. */
  readonly heading: string;
  /** Steps before the picture is taken. */
  readonly then?: (page: Page) => Promise<void>;
}

const place = (name: string, heading: string, hash = name, then?: Place['then']): Place => ({
  name,
  heading,
  hash: `#/${hash}`,
  ...(then && { then }),
});

export const places = (requests: Readonly<Record<string, string>>): readonly Place[] => [
  place('overview', 'Open alerts'),
  place('approvals', 'Approvals'),
  place('approval-shell', 'What would run', `approvals/${requests.shell}`),
  place('approval-pull-request', 'What would run', `approvals/${requests.pull}`),
  place('approval-write-file', 'What would run', `approvals/${requests.write}`),
  place('vote', 'What would run', `approvals/${requests.shell}`, async (page) => {
    await page.getByRole('button', { name: 'Deny…' }).click();
    await page.getByRole('dialog').waitFor();
  }),
  place('sessions', 'Sessions'),
  // Its steps are loaded after the page is drawn.
  place('session', 'Timeline', 'sessions/login-limit', (page) => page.locator('.steps [aria-current]').waitFor()),
  place('traffic', 'By decision'),
  place('requests', 'Requests'),
  place('alerts', 'Alerts'),
  place('budgets', 'Budgets'),
  place('policies', 'Rules in force'),
  place('playground', 'Playground', 'policies/try'),
  place('versions', 'Versions', 'policies/versions'),
  place('tools', 'Tools'),
  place('servers', 'Servers'),
  place('providers', 'Response cache'),
  place('rollouts', 'Rollouts'),
  place('keys', 'Keys'),
  place('credentials', 'Credentials'),
  place('people', 'People'),
  place('passkeys', 'Passkeys'),
  place('health', 'Dependencies'),
  place('evidence', 'Signing keys'),
  place('plugins', 'Plugins'),
  place('design', 'Overlays'),
  place('search', 'Open alerts', 'overview', async (page) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
  }),
];

/** Opens a page and returns once its data is visible. */
export async function openPlace(page: Page, url: string, { name, hash, heading, then }: Place): Promise<void> {
  await page.goto(`${url}/console/${hash}`);
  // Wait until the previous page is gone.
  await page.reload();
  await page.getByRole('heading', { name: heading }).first().waitFor();
  // The components page always shows the loading state.
  if (name !== 'design') await page.getByText('Loading…').first().waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle');
  await then?.(page);
}
