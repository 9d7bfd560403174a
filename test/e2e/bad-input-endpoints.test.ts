/** Malformed requests to every endpoint beside `test-action`: a typed answer, and nothing is changed. */
import { request } from 'node:http';
import { gateway, good, key, refuses, url } from '../support/bad-input.ts';
import { type Ask, ask, decided, written } from './client.ts';

const unknownId = '0199f0a0-0000-7000-8000-000000000000';
describe('other endpoints', () => {
  const rows: readonly [
    name: string,
    method: string,
    path: string,
    given: Ask,
    status: number,
    type: string,
    says: RegExp,
  ][] = [
    ['an unknown route', 'GET', '/admin/v1/nothing-here', { key: 'e2e-alice' }, 404, 'not_found', /nothing-here/],
    ['a wrong method', 'DELETE', '/admin/v1/approvals', { key: 'e2e-alice' }, 405, 'method_not_allowed', /DELETE.*GET/],
    [
      'GET where POST is meant',
      'GET',
      '/admin/v1/test-action',
      { key: 'e2e-alice' },
      405,
      'method_not_allowed',
      /GET.*POST/,
    ],
    ['OPTIONS without CORS', 'OPTIONS', '/admin/v1/approvals', {}, 405, 'method_not_allowed', /OPTIONS/],
    [
      'an unknown query parameter',
      'GET',
      '/admin/v1/approvals?colour=red',
      { key: 'e2e-alice' },
      400,
      'invalid_request',
      /colour.*limit/,
    ],
    [
      'a parameter twice',
      'GET',
      '/admin/v1/approvals?limit=1&limit=2',
      { key: 'e2e-alice' },
      400,
      'invalid_request',
      /limit.*once/,
    ],
    [
      'a limit that is no number',
      'GET',
      '/admin/v1/approvals?limit=many',
      { key: 'e2e-alice' },
      400,
      'invalid_request',
      /"many".*1 to 200/,
    ],
    ['a limit of 0', 'GET', '/admin/v1/approvals?limit=0', { key: 'e2e-alice' }, 400, 'invalid_request', /1 to 200/],
    [
      'a cursor that is none',
      'GET',
      '/admin/v1/approvals?cursor=%00garbage',
      { key: 'e2e-alice' },
      400,
      'invalid_request',
      /cursor/,
    ],
    [
      'a history of an unknown state',
      'GET',
      '/admin/v1/approvals/history?status=maybe',
      { key: 'e2e-alice' },
      400,
      'invalid_request',
      /"maybe".*approved, denied, expired/,
    ],
    [
      'a time that is none',
      'GET',
      '/admin/v1/audit?from=yesterday',
      { key: 'e2e-alice' },
      400,
      'invalid_request',
      /"yesterday".*ISO 8601/,
    ],
    [
      'a number as a time',
      'GET',
      '/admin/v1/analytics?to=1',
      { key: 'e2e-alice' },
      400,
      'invalid_request',
      /to is "1".*ISO 8601/,
    ],
    [
      'an unknown approval',
      'GET',
      `/admin/v1/approvals/${unknownId}`,
      { key: 'e2e-alice' },
      404,
      'not_found',
      new RegExp(unknownId),
    ],
    [
      'a vote on an unknown approval',
      'POST',
      `/admin/v1/approvals/${unknownId}/approve`,
      { key: 'e2e-alice', body: { reviewer: 'a' } },
      404,
      'not_found',
      new RegExp(unknownId),
    ],
    [
      'an id with a slash in disguise',
      'GET',
      '/admin/v1/approvals/..%2f..%2fconfig',
      { key: 'e2e-alice' },
      400,
      'invalid_request',
      /envelope_id/,
    ],
    [
      'a malformed percent-encoding',
      'GET',
      '/admin/v1/approvals/%zz',
      { key: 'e2e-alice' },
      400,
      'invalid_request',
      /percent/,
    ],
    [
      'an unknown session',
      'GET',
      '/admin/v1/evidence/sessions/nope/export',
      { key: 'e2e-alice' },
      404,
      'not_found',
      /nope/,
    ],
    ['an unknown version', 'GET', '/admin/v1/policy-versions/999', { key: 'e2e-alice' }, 404, 'not_found', /999/],
    [
      'a version that is no number',
      'GET',
      '/admin/v1/policy-versions/latest',
      { key: 'e2e-alice' },
      400,
      'invalid_request',
      /"latest".*whole number/,
    ],
    [
      'a rollback by a tenant’s admin',
      'POST',
      '/admin/v1/policy-versions/1/rollback',
      { key: 'e2e-carol', body: {} },
      403,
      'forbidden',
      /platform|admin token/,
    ],
    [
      'an unknown credential',
      'POST',
      '/admin/v1/credentials/nope/revoke',
      { key: 'e2e-alice', body: {} },
      404,
      'not_found',
      /nope/,
    ],
    [
      'an unknown action',
      'GET',
      `/admin/v1/actions/${unknownId}/why`,
      { key: 'e2e-alice' },
      404,
      'not_found',
      new RegExp(unknownId),
    ],
    [
      'a simulation of nothing',
      'POST',
      '/admin/v1/simulate',
      { key: 'e2e-alice', body: { calls: [] } },
      400,
      'invalid_request',
      /calls/,
    ],
    [
      'a Slack callback where none is configured',
      'POST',
      '/callbacks/slack',
      { raw: 'payload=%7B%7D', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      404,
      'not_found',
      /Slack/,
    ],
    [
      'a pull-request callback where none is configured',
      'POST',
      '/callbacks/github',
      { body: {} },
      404,
      'not_found',
      /pull-request/,
    ],
  ];

  test.each(rows)(
    '[error.bad-input] [error.types] [error.not-found] [error.method] [error.unknown-query] [error.media-type] refuses %s',
    async (_, method, path, given, status, type, says) => {
      await refuses(() => ask(url, method, path, given), status, type, says);
    },
  );

  test('[admin.bad-json] a configuration that does not load stores nothing and says where it is wrong', async () => {
    const put = (body: string) =>
      ask(url, 'PUT', '/admin/v1/config', {
        key: gateway.keys.admin_token,
        raw: body,
        headers: { 'content-type': 'application/yaml' },
      });
    await refuses(() => put('version: 1\ntennants: []\n'), 400, 'invalid_request', /tennants/);
    await refuses(
      () => put('version: 1\ntenants:\n  - { id: a, api_keys: [] }\n'),
      400,
      'invalid_request',
      /tenants.*api_keys/,
    );
    await refuses(() => put('a: &x [*x]'), 400, 'invalid_request', /\S/);
    await refuses(() => put('{'), 400, 'invalid_request', /\S/);
    const current = await ask(url, 'GET', '/admin/v1/policy-versions/current', { key: 'e2e-viewer' });
    expect(current.body.version).toBe(1);
  });

  test('[error.method] HEAD is GET on reads', async () => {
    const { status, text: nothing } = await ask(url, 'HEAD', '/health');
    expect([status, nothing]).toEqual([200, '']);
  });

  test('[cors.off] no CORS headers without allowed origins', async () => {
    const { headers } = await ask(url, 'GET', '/health', { headers: { origin: 'https://evil.example' } });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  test('[auth.host-header] a foreign Host header is refused', async () => {
    const { port } = new URL(url);
    const status = await new Promise<number>((done, failed) => {
      const options = {
        host: '127.0.0.1',
        port,
        path: '/admin/v1/whoami',
        headers: { host: 'evil.example', 'x-api-key': 'e2e-alice' },
      };
      request(options, (response) => {
        response.resume();
        done(response.statusCode ?? 0);
      })
        .on('error', failed)
        .end();
    });
    expect([400, 403, 421]).toContain(status);
  });

  test('[limit.body] a body above the limit is refused by its bytes, whatever its length header says', async () => {
    const big = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let i = 0; i < 12; i++) controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20));
        controller.close();
      },
    });
    const before = await written(url, 'e2e-carol');
    const sent = fetch(`${url}/admin/v1/test-action`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: big,
      duplex: 'half',
    } as RequestInit);
    // The server may answer 413 or close on us: either way nothing is read to the end and nothing is written.
    const status = await sent.then(
      (response) => response.status,
      () => 'closed',
    );
    expect([413, 'closed']).toContain(status);
    expect(await written(url, 'e2e-carol')).toEqual(before);
    expect((await decided(url, key, { ...good, dry_run: true })).decision).toBe('allow');
  });
});
