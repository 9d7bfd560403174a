import { gateway, refuses, url } from './bad-input.ts';
import { type Ask, ask } from './client.ts';

const unknownId = '0199f0a0-0000-7000-8000-000000000000';
describe('other endpoints', () => {
  const rows: readonly (readonly [name: string, asked: string, status: number, says: RegExp, given?: Ask])[] = [
    ['an unknown route', 'GET /admin/v1/nothing-here', 404, /nothing-here/],
    ['a wrong method', 'DELETE /admin/v1/approvals', 405, /DELETE.*GET/],
    ['GET where POST is meant', 'GET /admin/v1/test-action', 405, /GET.*POST/],
    ['OPTIONS without CORS', 'OPTIONS /admin/v1/approvals', 405, /^OPTIONS is .*; allowed: GET, HEAD\.$/, {}],
    ['an unknown query parameter', 'GET /admin/v1/approvals?colour=red', 400, /colour.*limit/],
    ['a parameter twice', 'GET /admin/v1/approvals?limit=1&limit=2', 400, /limit.*once/],
    ['a limit that is no number', 'GET /admin/v1/approvals?limit=many', 400, /"many".*1 to 200/],
    ['a limit of 0', 'GET /admin/v1/approvals?limit=0', 400, /1 to 200/],
    ['a cursor that is none', 'GET /admin/v1/approvals?cursor=%00garbage', 400, /cursor/],
    [
      'a history of an unknown state',
      'GET /admin/v1/approvals/history?status=maybe',
      400,
      /"maybe".*approved, denied, expired/,
    ],
    ['a time that is none', 'GET /admin/v1/audit?from=yesterday', 400, /"yesterday".*ISO 8601/],
    ['a number as a time', 'GET /admin/v1/analytics?to=1', 400, /to is "1".*ISO 8601/],
    ['an unknown approval', `GET /admin/v1/approvals/${unknownId}`, 404, new RegExp(unknownId)],
    [
      'a vote on an unknown approval',
      `POST /admin/v1/approvals/${unknownId}/approve`,
      404,
      new RegExp(unknownId),
      { key: 'e2e-alice', body: { reviewer: 'a' } },
    ],
    ['an id with a slash in disguise', 'GET /admin/v1/approvals/..%2f..%2fconfig', 400, /envelope_id/],
    ['a malformed percent-encoding', 'GET /admin/v1/approvals/%zz', 400, /percent/],
    ['an unknown session', 'GET /admin/v1/evidence/sessions/nope/export', 404, /nope/],
    ['an unknown version', 'GET /admin/v1/policy-versions/999', 404, /999/],
    ['a version with a decimal point', 'GET /admin/v1/policy-versions/1.0', 400, /"1\.0".*whole number/],
    ['a version with a leading zero', 'GET /admin/v1/policy-versions/01', 400, /"01".*whole number/],
    ['a version that is no number', 'GET /admin/v1/policy-versions/latest', 400, /"latest".*whole number/],
    [
      'a rollback by a tenant’s admin',
      'POST /admin/v1/policy-versions/1/rollback',
      403,
      /platform|admin token/,
      { key: 'e2e-carol', body: {} },
    ],
    ['an unknown credential', 'POST /admin/v1/credentials/nope/revoke', 404, /nope/, { key: 'e2e-alice', body: {} }],
    ['an unknown action', `GET /admin/v1/actions/${unknownId}/why`, 404, new RegExp(unknownId)],
    ['a simulation of nothing', 'POST /admin/v1/simulate', 400, /calls/, { key: 'e2e-alice', body: { calls: [] } }],
    [
      'a Slack callback where none is configured',
      'POST /callbacks/slack',
      404,
      /Slack/,
      { raw: 'payload=%7B%7D', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ],
    ['a pull-request callback where none is configured', 'POST /callbacks/github', 404, /pull-request/, { body: {} }],
  ];

  const asking = rows.map(
    ([name, asked, status, says, given = { key: 'e2e-alice' }]) => [name, asked, status, says, given] as const,
  );
  test.each(asking)(
    '[error.plain-words] [error.shape] [error.not-found] [error.unknown-query] refuses %s',
    async (_, asked, status, says, given) => {
      const [method = '', path = ''] = asked.split(' ');
      await refuses(() => ask(url, method, path, given), status, says);
    },
  );

  test('[error.plain-words] a configuration that fails to load is not stored, and the error says why', async () => {
    const put = (body: string, type = 'application/yaml') =>
      ask(url, 'PUT', '/admin/v1/config', {
        key: gateway.keys.admin_token,
        raw: body,
        headers: { 'content-type': type },
      });
    await refuses(() => put('version: 1\n', 'application/yaml; charset=utf-16'), 415, /"utf-16".*utf-8/);
    await refuses(() => put('version: 1\ntennants: []\n'), 400, /tennants/);
    await refuses(() => put('version: 1\ntenants:\n  - { id: a, api_keys: [] }\n'), 400, /tenants.*api_keys/);
    await refuses(() => put('a: &x [*x]'), 400, /\S/);
    await refuses(() => put('{'), 400, /\S/);
    const current = await ask(url, 'GET', '/admin/v1/policy-versions/current', { key: 'e2e-viewer' });
    expect(current.body.version).toBe(1);
  });
});
