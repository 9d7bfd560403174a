/** Errors for missing items and for those of another tenant. */

import { globSync, readFileSync } from 'node:fs';
import { notFound, type Thing, things } from '#core/kernel/not-found.ts';
import { routes } from '#features/routes.ts';

test.each<[Thing, string | undefined, string]>([
  [things.approval, 'e1', 'Approval e1 was not found. GET /admin/v1/approvals lists what there is.'],
  [things.policyVersion, '9', 'Policy version 9 was not found. GET /admin/v1/policy-versions lists what there is.'],
  [things.session, 's1', 'Session s1 was not found. GET /admin/v1/evidence/sessions lists what there is.'],
  [{ noun: 'tile' }, '0/x000', 'Tile 0/x000 was not found.'],
  [things.approval, undefined, 'The approval was not found. GET /admin/v1/approvals lists what there is.'],
  [{ noun: 'archive' }, undefined, 'The archive was not found.'],
])('[error.not-found] of %j %s', (thing, name, message) => {
  expect(notFound(thing, name)).toMatchObject({ code: 'not_found', message });
});

const sources = globSync(['core/**/*.ts', 'features/**/*.ts'], { exclude: ['**/test/**'] });
const namedLists = sources.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/noun: '[^']+', list: '([^']+)'/g)].map(([, list]) => list!),
);

test.each(namedLists)('[error.not-found] %s is an existing route', (list) => {
  expect(routes.map(({ method, path }) => `${method} ${path}`)).toContain(list);
});
