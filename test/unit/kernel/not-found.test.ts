/** Errors for missing items and for those of another tenant. */

import { namedLists, notFound, type ThingKind } from '#core/kernel/not-found.ts';
import { routes } from '#features/routes.ts';

test.each<[ThingKind, string | undefined, string]>([
  ['approval', 'e1', 'Approval e1 was not found. GET /admin/v1/approvals lists what there is.'],
  ['policy_version', '9', 'Policy version 9 was not found. GET /admin/v1/policy-versions lists what there is.'],
  ['session', 's1', 'Session s1 was not found. GET /admin/v1/evidence/sessions lists what there is.'],
  ['batch', 'b1', 'Batch b1 was not found. GET /v1/batches lists what there is.'],
  ['log_tile', '0/x000', 'Tile 0/x000 was not found.'],
  ['approval', undefined, 'The approval was not found. GET /admin/v1/approvals lists what there is.'],
  ['archive', undefined, 'The archive was not found.'],
])('[error.not-found] of %s %s', (kind, name, message) => {
  expect(notFound(kind, name)).toMatchObject({ code: 'not_found', message });
});

test.each(namedLists)('[error.not-found] %s is an existing route', (list) => {
  expect(routes.map(({ method, path }) => `${method} ${path}`)).toContain(list);
});
