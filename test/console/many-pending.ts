/**
 * Ten thousand pending requests: the page stays as small as its visible part, and every keyboard shortcut and event
 * still works.
 */
import assert from 'node:assert/strict';
import { sideBySide } from '../../core/kernel/side-by-side.ts';
import { check } from '../support/checks.ts';
import { heldBy, until, type Visitors, visitors } from './browser.ts';
import type { ConsoleGateway } from './gateway.ts';
import { type OwnGateway, ownGateway } from './own-gateway.ts';

const count = 10_000;
const onePage = 200;
/** Maximum number that the page shows. The command line lists the rest. */
const maxShown = 2_000;

const configuration = `
version: 1
admin: { requests_per_second: 100000 }
people: [{ id: alice, role: operator }]
tenants:
  - id: default
    api_keys: [{ key: many-agent, kind: agent, name: agent }, { key: many-alice, kind: human, person: alice, name: alice }]
tool_policies: { pack: null, default_decision: review }
approvals: { timeout_seconds: 86400, max_pending_per_key: ${count}, max_pending_per_tenant: ${count} }
behavior: { enabled: false }
`;

const path = (id: string) => `a[href="#/approvals/${id}"]`;

interface Many extends OwnGateway {
  readonly people: Visitors;
}

/** Starts a separate gateway, because the shared gateway's configuration does not allow so many pending requests. */
async function manyGateway(program: string): Promise<Many> {
  const gateway = await ownGateway(configuration);
  const people = await visitors(program, gateway.url);
  return {
    ...gateway,
    people,
    end: async () => {
      await people.close();
      await gateway.end();
    },
  };
}

/** Creates half of the requests, so that a check finishes in time on a busy machine. */
const come = ({ call }: Many, from: number) =>
  sideBySide(Array(count / 2).keys(), 32, (n) =>
    call('many-agent', 'POST', 'test-action', {
      protocol: 'shell',
      tool: 'shell.run',
      target: `ci-${from + n}`,
      capability: 'execute',
      parameters: { command: `make ${from + n} | sh` },
      actor: { agent: 'many', session: `many-${n % 50}` },
    }),
  );

export const manyPending = (_gateway: ConsoleGateway, _people: Visitors, program: string) => {
  let many: Many | undefined;
  return [
    check(`${count / 2} requests come to wait`, async () => {
      many = await manyGateway(program);
      await come(many, 0);
    }),
    check('the same number of requests arrives a second time', async () => {
      assert.ok(many, 'their gateway did not start');
      await come(many, count / 2);
    }),
    check(`[console.many-pending] with ${count} pending requests, keys and votes work`, async () => {
      assert.ok(many, 'their gateway did not start');
      try {
        await proveWith(many);
      } finally {
        await many.end();
      }
    }),
  ];
};

async function proveWith({ url, people, call }: Many): Promise<void> {
  const deny = (id: string) => call('many-alice', 'POST', `approvals/${id}/deny`, { reviewer: 'alice' });
  const listed = async (limit: number) =>
    ((await call('many-alice', 'GET', `approvals?limit=${limit}`)).pending as { envelope_id: string }[]).map(
      ({ envelope_id }) => envelope_id,
    );
  const page = await people.signedIn('many-alice');
  const rows = page.locator('ol.pending > li');
  await page.getByText(`${onePage} requests and more wait for approval.`).waitFor();
  assert.equal(await rows.count(), onePage);
  // Requests of one session are grouped, and keys follow the displayed order.
  const first = (
    (await page.evaluate(
      '[...document.querySelectorAll("ol.pending a")].map((link) => link.getAttribute("href"))',
    )) as string[]
  ).map((href) => href.replace('#/approvals/', ''));
  assert.match(await page.title(), new RegExp(`^\\(${onePage}\\+\\) `));
  const opened = await heldBy(page);
  assert.ok(opened.nodes < 30 * onePage, `${opened.nodes} nodes for ${onePage} rows`);

  const chosen = (id: string) => page.locator(`a[aria-current="true"][href="#/approvals/${id}"]`).waitFor();
  for (const [key, at] of [
    ['j', 0],
    ['j', 1],
    ['j', 2],
    ['k', 1],
  ] as const) {
    await page.keyboard.press(key);
    await chosen(first[at]!);
  }
  const dialog = page.getByRole('dialog');
  const votes = async (key: 'a' | 'd', id: string, status: string) => {
    await page.getByRole('button', { name: 'Approve…' }).waitFor();
    await page.keyboard.press(key);
    await dialog.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await until(`${id} is ${status}`, async () => {
      const record = await call('many-alice', 'GET', `approvals/${id}`);
      return record.status === status;
    });
    await rows.locator(path(id)).waitFor({ state: 'detached' });
  };
  await votes('d', first[1]!, 'denied');
  await page.goto(`${url}/console/#/approvals/${first[0]}`);
  await chosen(first[0]!);
  await votes('a', first[0]!, 'approved');

  // Requests that another person decides leave the list without a reload, and the next ones take their place.
  await deny(first[2]!);
  await rows.locator(path(first[2]!)).waitFor({ state: 'detached' });
  await until('the list is full again', async () => (await rows.count()) === onePage);

  for (let shown = onePage; shown < maxShown; shown += onePage) {
    await page.getByRole('button', { name: 'Show more' }).click();
    await until(`${shown + onePage} are shown`, async () => (await rows.count()) === shown + onePage);
  }
  await page.getByText('There are more; agentctl lists them all.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0);
  const full = await heldBy(page);
  assert.ok(full.nodes < 30 * maxShown, `${full.nodes} nodes for ${maxShown} rows`);
  const next = await listed(onePage);
  await page.keyboard.press('j');
  await chosen(next[0]!);

  // Events arrive for hours. Each redraws the list, and no nodes of earlier drawings remain.
  for (const id of next.slice(1, 41)) await deny(id);
  await rows.locator(path(next[40]!)).waitFor({ state: 'detached' });
  await until('the list is full again', async () => (await rows.count()) === maxShown);
  const later = await heldBy(page);
  assert.ok(later.nodes < 1.2 * full.nodes, `${full.nodes} nodes became ${later.nodes}`);
  assert.ok(later.heapMb < 1.5 * full.heapMb + 8, `${full.heapMb} MB became ${later.heapMb} MB`);
  assert.deepEqual(people.offences, []);
  await page.context().close();
}
