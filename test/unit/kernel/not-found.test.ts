/** What a caller reads of a thing that is missing, or another's. */
import { notFound } from '#core/kernel/errors.ts';

test.each([
  ['Approval e1', 'Approval e1 was not found. GET /admin/v1/approvals lists what there is.'],
  ['Policy version 9', 'Policy version 9 was not found. GET /admin/v1/policy-versions lists what there is.'],
  ['Session s1', 'Session s1 was not found. GET /admin/v1/evidence/sessions lists what there is.'],
  ['Tile 0/x000', 'Tile 0/x000 was not found.'],
  ['It', 'It was not found.'],
])('[error.not-found] of %s: %s', (what, message) => {
  expect(notFound(what)).toMatchObject({ code: 'not_found', message });
});
