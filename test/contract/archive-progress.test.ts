/** The daily check of the archive over several runs: it continues, skips what did not change, and finds changes anyway. */
import { passesOfAll } from '#core/evidence/archive-progress.ts';
import { createHandler as archiveCheck } from '#lambdas/archive-check/event.ts';
import { caller } from '../support/call-endpoint.ts';
import { type KeptGateway, keptGateway } from '../support/kept-gateway.ts';
import { keys } from '../support/ports.ts';
import { TableAttacker } from '../support/table-attacker.ts';

let gateway: KeptGateway;
beforeEach(async () => {
  gateway = await keptGateway();
});
afterEach(() => gateway.stop());

const day = 24 * 3600;
async function act(session: string): Promise<void> {
  await caller(gateway.ports())('POST', '/admin/v1/test-action', {
    key: keys.agent,
    body: {
      ...{ protocol: 'git', tool: 'scm.get_file_contents', target: 'acme/a', capability: 'read' },
      actor: { agent: 'writer', session },
    },
  });
}
/** A run that reads two sessions a page, and whose time is over after so many pages. */
const run = (pages = Number.POSITIVE_INFINITY) => {
  const { evidence, clock, ...ports } = gateway.ports();
  let left = pages;
  const now = () => clock.now() + (left > 0 ? 0 : day * 1000);
  const sessions: typeof evidence.sessions = (tenant, page) => {
    left--;
    return evidence.sessions(tenant, { ...page, limit: 2 });
  };
  const bounded = {
    rows: evidence.rows,
    head: evidence.head,
    sessions,
    entries: evidence.entries,
    audit: evidence.audit,
  };
  return archiveCheck({ ...ports, clock: { ...clock, now }, evidence: bounded })();
};
const progress = () => gateway.ports().archiveProgress;

test('[evidence.archive.cursor] a run goes on where the last one stopped, and a pass ends once', async () => {
  for (const session of ['a', 'b', 'c', 'd', 'e']) await act(session);
  await gateway.projected();
  gateway.pass(day);
  expect(await run(1)).toMatchObject({ sessions: 2, complete: false });
  expect(await run(1)).toMatchObject({ sessions: 2, complete: false });
  expect(await run()).toMatchObject({ sessions: 1, complete: true });
  expect(await progress().get()).toMatchObject({ pass: 1, whole: { missing_entries: 0 } });
});

test('[evidence.archive.cursor] unchanged sessions are skipped; a change of one is found within a month of passes', async () => {
  for (const session of ['a', 'b', 'c', 'd', 'e']) await act(session);
  await gateway.projected();
  gateway.pass(day);
  expect(await run()).toMatchObject({ sessions: 5, complete: true });
  const attacker = new TableAttacker(gateway.store);
  await attacker.setHead({ ...(await attacker.head('b')), last_hash: 'f'.repeat(64) });
  let compared = 0;
  let found = 0;
  for (let pass = 0; pass < passesOfAll; pass++) {
    gateway.pass(day);
    const checked = (await run())!;
    compared += checked.sessions;
    found += checked.contradictions;
  }
  expect([compared, found]).toEqual([5, 1]);
});

test('[evidence.archive.cursor] missing copies stay counted, and their session is compared again, until they are there', async () => {
  await act('a');
  const entries = gateway.queue.splice(0);
  await act('b');
  await gateway.projected();
  for (let times = 0; times < 3; times++) {
    gateway.pass(day);
    expect(await run()).toMatchObject({ missing_entries: 2, complete: true });
  }
  await gateway.projected(entries);
  gateway.pass(day);
  expect(await run()).toMatchObject({ missing_entries: 0 });
});

test.each([
  ['damaged', { version: 1, pass: 'x' }],
  [
    'whose cursor is damaged',
    {
      version: 1,
      pass: 1,
      started_at: '2026-01-01T00:00:00.000Z',
      missing_entries: 0,
      readable: true,
      whole: { missing_entries: 0 },
    },
  ],
])('[evidence.archive.cursor] progress that is %s begins again', async (_, stored) => {
  for (const session of ['a', 'b', 'c']) await act(session);
  await gateway.projected();
  gateway.pass(day);
  await run(1);
  await progress().put({
    ...stored,
    ...('started_at' in stored && { place: { tenant: 'default', cursor: '!' } }),
  } as never);
  expect(await run()).toMatchObject({ sessions: 3 });
});
