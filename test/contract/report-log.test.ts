/** The transparency log in reports: leaf, witnesses, and a chain that differs from the logged one. */
import { withLog } from '#core/evidence/report-log.ts';
import { pointOf, testLog } from '../support/transparency.ts';
import { useStarted } from '../support/use-started.ts';

const kept = useStarted(() => testLog(), 'test');

const session = { tenant: 'default', session_id: 's-1' };
const valid = { valid: true, total_entries: 3, not_checked: ['archive not checked'] };

test('[evidence.report] a report names the leaf, and entries that are not logged yet are not checked', async () => {
  const log = kept.opened();
  const point = pointOf('s-1', 2);
  await log.append([pointOf('s-0', 0), point]);
  const proof = await log.proof('default', 's-1');
  const trust = { log: await kept.signer('default') };
  const said = withLog(valid, session, proof, point.hash, trust);
  expect(said).toMatchObject({ valid: true, log: { position: 1, size: 2, index: 2, witnesses: [] } });
  expect(said.not_checked).toEqual(['archive not checked']);
  const absent = withLog(valid, session, undefined, undefined, trust);
  expect(absent).toMatchObject({
    valid: true,
    not_checked: [...valid.not_checked, expect.stringContaining('log not checked')],
  });
});

test('[evidence.report] a chain that is not the logged one, a shorter one, and a proof of another session are not valid', async () => {
  const log = kept.opened();
  const point = pointOf('s-1', 2);
  await log.append([point, pointOf('s-2', 0)]);
  const trust = { log: await kept.signer('default') };
  const proof = await log.proof('default', 's-1');
  const reason = (said: ReturnType<typeof withLog>) => [said.valid, said.broken_link?.index, said.broken_link?.reason];
  expect(reason(withLog(valid, session, proof, 'f'.repeat(64), trust))).toEqual([
    false,
    2,
    expect.stringContaining('rewritten'),
  ]);
  expect(reason(withLog(valid, session, proof, undefined, trust))).toEqual([
    false,
    2,
    expect.stringContaining('cut off'),
  ]);
  const other = await log.proof('default', 's-2');
  expect(reason(withLog(valid, session, other, point.hash, trust))).toEqual([
    false,
    3,
    expect.stringContaining('another session'),
  ]);
  const broken = { valid: false, total_entries: 1, broken_link: { index: 0, reason: 'altered' }, not_checked: [] };
  expect(withLog(broken, session, proof, point.hash, trust)).toEqual(broken);
});
