/** A session with a hundred thousand entries. It is read in slices, and the page contains only the visible rows. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore } from '../../adapters/local/sqlite/store.ts';
import { entryPut, headPut } from '../../adapters/tables/evidence-table.ts';
import type { EntryDraft } from '../../core/contracts/evidence.ts';
import { advanceHead, seal } from '../../core/evidence/chain.ts';
import type { SessionHead } from '../../core/evidence/ports.ts';
import { check } from '../support/checks.ts';
import { heldBy, until, type Visitors, visitors } from './browser.ts';
import type { ConsoleGateway } from './gateway.ts';
import { ownGateway } from './own-gateway.ts';

const count = 100_000;
const maxRows = 200;
/** Time limit for an export, including the preceding verification of the chain. */
const exportMs = 400_000;

const configuration = `
version: 1
people: [{ id: alice, role: operator }]
tenants:
  - id: default
    api_keys: [{ key: many-alice, kind: human, person: alice, name: alice }]
`;

const draft = (index: number): EntryDraft => ({
  tenant: 'default',
  session_id: 'long',
  timestamp: new Date(1_767_225_600_000 + index).toISOString(),
  kind: 'allow',
  envelope_id: `01890000-0000-7000-8000-${String(index).padStart(12, '0')}`,
  actor: { key_id: 'key-1' },
  body: { tool: 'scm.get_file', target: 'acme/web', capability: 'read' },
});

/** Writes the chain as the ledger would, but in fewer and larger transactions. */
async function seed(state: string): Promise<void> {
  await mkdir(state);
  const store = openStore({ path: join(state, 'store.db') });
  let head: SessionHead | undefined;
  for (let from = 0; from < count; from += 2_000) {
    const before = head;
    const puts = Array.from({ length: 2_000 }, (_, at) => {
      const { entry, text } = seal(draft(from + at), head);
      head = advanceHead(head, entry);
      return entryPut(entry, 'seed', text);
    });
    assert.equal(await store.transact([headPut(before, head!), ...puts]), 'written');
  }
  store.close();
}

export const manyEntries = (_gateway: ConsoleGateway, _people: Visitors, program: string) => [
  check(
    '[console.many-entries] 100,000 entries are scrolled, replayed and verified within bounded memory',
    async () => {
      const gateway = await ownGateway(configuration, seed);
      const people = await visitors(program, gateway.url);
      try {
        await proveWith(people);
      } finally {
        await people.close();
        await gateway.end();
      }
    },
  ),
];

async function proveWith(people: Visitors): Promise<void> {
  const page = await people.signedIn('many-alice', '#/sessions/long');
  const step = page.getByRole('status').filter({ hasText: /^Step / });
  await step.filter({ hasText: 'Step 100,000 of 100,000' }).waitFor({ timeout: exportMs });
  const list = page.locator('.steps');
  const numbers = list.locator('.step-number');
  /** Waits until the rows at this position in the list are loaded, and returns how many rows are in the page. */
  const rowsAt = async (number: number) => {
    await until(`the row ${number}`, async () => (await numbers.allInnerTexts()).includes(String(number)));
    return numbers.count();
  };
  assert.ok((await rowsAt(count)) <= maxRows);
  const opened = await heldBy(page);
  assert.ok(opened.nodes < 20 * maxRows, `${opened.nodes} nodes`);
  assert.ok(opened.heapMb < 50, `${opened.heapMb} MB`);

  await list.evaluate((box) => box.scrollTo(0, 0));
  assert.ok((await rowsAt(1)) <= maxRows);
  for (const share of [0.25, 0.5, 0.75]) {
    await list.evaluate((box, share) => box.scrollTo(0, box.scrollHeight * share), share);
    assert.ok((await rowsAt(share * count + 1)) <= maxRows);
  }

  await list.locator('button[tabindex="0"]').focus();
  await page.keyboard.press('Home');
  await step.filter({ hasText: 'Step 1 of 100,000' }).waitFor();
  await list.locator('[aria-current]:focus').filter({ hasText: /^1\D/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await step.filter({ hasText: 'Step 2 of 100,000' }).waitFor();
  await page.getByRole('heading', { name: 'Step 2', exact: true }).waitFor();

  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText(/[1-9]\d*,000 entries so far/).waitFor();
  // The page keeps working while the worker verifies.
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await step.filter({ hasText: 'Step 3 of 100,000' }).waitFor();
  await page.getByText('Valid: 100,000 entries, verified in this browser.').waitFor();
  const later = await heldBy(page);
  assert.ok(later.nodes < 1.5 * opened.nodes, `${opened.nodes} nodes became ${later.nodes}`);
  assert.ok(later.heapMb < opened.heapMb + 10, `${opened.heapMb} MB became ${later.heapMb} MB`);
  assert.deepEqual(people.offences, []);
  await page.context().close();
}
