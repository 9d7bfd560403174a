/** What the configuration asks by now, in the words that the reviewer reads. */
import { applyTerms } from '#core/approvals/terms.ts';
import { approvalRow, at } from './sample.ts';

const now = { version: 7, require_passkey: false, requires: [] };

test('[approval.terms-now] each stricter term is said alone: a passkey, or a time', () => {
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

test('[approval.terms-now] a later time, or none, changes nothing', () => {
  const row = approvalRow({ expires_at: at(600) });
  for (const terms of [now, { ...now, expires_at: at(600) }, { ...now, expires_at: at(900) }])
    expect(applyTerms(row, terms)).toBe(row);
});
