/** A session without a head: it was deleted if a checkpoint or the archive names its entries. */
import { missingSession, type Witness } from '#core/evidence/witness.ts';

const witness = (more: object): Witness => ({ archiveComplete: true, notChecked: [], at: 0, ...more }) as Witness;
const archived = (end: number) => ({ archived: { end } });
const checkpoint = { checkpoint: { created_at: '2026-01-01T00:00:00.000Z', point: { index: 4 } } };

test('[evidence.checkpoint] a checkpoint reveals how many entries of a deleted session are missing', () => {
  const found = missingSession(witness(checkpoint));
  expect(found).toMatchObject({ valid: false, total_entries: 0, broken_link: { index: 0 } });
  expect(found?.broken_link?.reason).toContain('names 5 entries of it');
});

test('[evidence.checkpoint] the archive reveals a deleted session even with a single copy', () => {
  expect(missingSession(witness(archived(0)))?.broken_link?.reason).toContain('holds 1 entries of it');
});

test('[evidence.checkpoint] a session known to neither the checkpoint nor the archive never existed', () => {
  expect(missingSession(witness({}))).toBeUndefined();
  expect(missingSession(witness(archived(-1)))).toBeUndefined();
});
