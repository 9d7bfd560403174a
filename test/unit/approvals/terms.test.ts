/** Current approval requirements, as shown to the reviewer. */
import { applyTerms } from '#core/approvals/terms.ts';
import { approvalRow, at } from './sample.ts';

const now = { version: 7, require_passkey: false, requires: [] };

test('[approval.strictest-terms] each stricter term is listed separately, such as a passkey or an earlier deadline', () => {
  const row = approvalRow({ expires_at: at(600) });
  expect(applyTerms(row, { ...now, require_passkey: true }).tightened).toEqual({
    policy_version: 7,
    asks: ['a passkey with each approval'],
  });
  expect(applyTerms(row, { ...now, expires_at: at(300) })).toMatchObject({
    expires_at: at(300),
    tightened: { policy_version: 7, asks: [`a decision before ${at(300)}`] },
  });
});

test('[approval.strictest-terms] terms that were not tightened are not added, and existing requirements remain', () => {
  const vote = { person: 'bob', passkey: undefined } as never;
  const sooner = applyTerms(approvalRow({ expires_at: at(600), votes: [vote] }), { ...now, expires_at: at(300) });
  expect(sooner).not.toHaveProperty('require_passkey');
  expect(sooner).not.toHaveProperty('requires');
  // Its vote still counts.
  expect(sooner).toMatchObject({ votes: [vote], tightened: { asks: [`a decision before ${at(300)}`] } });
  const two = { rule: 'two-people', approvals: 2 };
  const signed = applyTerms(approvalRow({ requires: [two], votes: [vote] }), { ...now, require_passkey: true });
  expect(signed).toMatchObject({ requires: [two], votes: [], require_passkey: true });
  expect(signed.tightened?.asks).toEqual([
    'a passkey with each approval',
    '1 of the approvals again, because they were given without a passkey',
  ]);
});

test('[approval.strictest-terms] a later deadline, or none, has no effect', () => {
  const row = approvalRow({ expires_at: at(600) });
  for (const terms of [now, { ...now, expires_at: at(600) }, { ...now, expires_at: at(900) }])
    expect(applyTerms(row, terms)).toBe(row);
});
