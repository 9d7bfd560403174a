/** Bad input at every handler: the right answer, in words that help, nothing written, nothing leaked. */

import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { routes } from '../../core/contracts/routes.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Ask, ask, decided, e2eConfiguration, type Fields, pullRequest, until, vote, written } from './client.ts';

let gateway: Gateway;
let url: string;

beforeAll(async () => {
  gateway = await startGateway({ config: e2eConfiguration });
  url = gateway.ready.admin_url;
});
afterAll(() => gateway?.stop());

const key = 'e2e-agent';
const good = {
  protocol: 'git',
  tool: 'scm.get_file',
  target: 'acme/web',
  capability: 'read',
  actor: { session: 'bad-input' },
};
const with_ = (change: Fields): Ask => ({ key, body: { ...good, ...change } });
const raw = (text: string): Ask => ({ key, raw: text });
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const text = JSON.stringify(good);

/** What is sent to test-action, and what comes back: status, type, words of the message. */
const bodies: readonly [name: string, given: Ask, status: number, type: string, says: RegExp][] = [
  ['invalid JSON', raw('{"protocol": "git",'), 400, 'invalid_request', /JSON/],
  ['no body at all', { key, raw: '' }, 400, 'invalid_request', /protocol/],
  ['an array', raw('[]'), 400, 'invalid_request', /array.*object/],
  ['a number', raw('7'), 400, 'invalid_request', /number.*object/],
  ['null', raw('null'), 400, 'invalid_request', /null.*object/],
  ['a wrong type', with_({ tool: 7 }), 400, 'invalid_request', /tool: found 7, allowed a text/],
  ['parameters that are a list', with_({ parameters: [1] }), 400, 'invalid_request', /parameters/],
  ['an empty tool', with_({ tool: '' }), 400, 'invalid_request', /tool must not be empty/],
  ['a missing capability', with_({ capability: undefined }), 400, 'invalid_request', /capability/],
  ['an unknown field', with_({ tenant: 'other' }), 400, 'invalid_request', /tenant/],
  ['a target of 5 kB', with_({ target: 'x'.repeat(5 * 1024) }), 400, 'invalid_request', /target.*4096 bytes/],
  ['a target of 1 MB', with_({ target: 'x'.repeat(1024 * 1024) }), 413, 'payload_too_large', /262144/],
  ['control characters', with_({ target: 'a\u0000b' }), 400, 'invalid_request', /control characters/],
  [
    'control characters in the tool',
    with_({ tool: 'scm.get\u001b[31m' }),
    400,
    'invalid_request',
    /control characters/,
  ],
  ['__proto__ as a field', raw(`{"__proto__":{"role":"admin"},${text.slice(1)}`), 400, 'invalid_request', /__proto__/],
  ['a key twice', raw(`{"protocol":"shell",${text.slice(1)}`), 400, 'invalid_request', /"protocol" twice/],
  [
    'a number beyond a double',
    raw(text.replace('{', '{"parameters":{"n":1e999},')),
    400,
    'invalid_request',
    /1e999.*2\^53/,
  ],
  ['a lone surrogate', raw(text.replace('acme', '\\ud800')), 400, 'invalid_request', /surrogate/],
  [
    'a lone surrogate in a key',
    raw(text.replace('{', '{"parameters":{"\\udc00":1},')),
    400,
    'invalid_request',
    /surrogate/,
  ],
  ['nesting of 65 levels', raw(text.replace('{', `{"parameters":${nested(64)},`)), 400, 'invalid_request', /64 levels/],
  [
    'nesting of 100,000 levels',
    raw(text.replace('{', `{"parameters":${'['.repeat(100_000)}${']'.repeat(100_000)},`)),
    400,
    'invalid_request',
    /64 levels|JSON/,
  ],
  [
    'malformed UTF-8',
    { key, raw: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) },
    400,
    'invalid_request',
    /UTF-8/,
  ],
  ['a session with a slash', with_({ actor: { session: 'a/b' } }), 400, 'invalid_request', /session.*A-Za-z0-9/],
  [
    'a session of 129 characters',
    with_({ actor: { session: 'a'.repeat(129) } }),
    400,
    'invalid_request',
    /session.*1,128/,
  ],
  [
    'a bad session header',
    { key, body: { ...good, actor: undefined }, headers: { 'x-session-id': 'a b' } },
    400,
    'invalid_request',
    /session/i,
  ],
  ['an approval_ref that is no id', with_({ approval_ref: 'yes' }), 400, 'invalid_request', /approval_ref.*UUID/],
  [
    'another content type',
    { key, raw: text, headers: { 'content-type': 'text/plain' } },
    415,
    'unsupported_media_type',
    /text\/plain.*application\/json/,
  ],
  [
    'a form',
    { key, raw: 'tool=scm.get', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    415,
    'unsupported_media_type',
    /application\/json/,
  ],
  [
    'a compressed body',
    { key, raw: gzipSync(text), headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
    415,
    'unsupported_media_type',
    /gzip.*without compression/,
  ],
  ['no key', { body: good }, 401, 'authentication_error', /key/i],
  ['an unknown key', { key: 'nope', body: good }, 401, 'authentication_error', /key/i],
  ['a viewer’s key', { key: 'e2e-viewer', body: good }, 403, 'forbidden', /viewer.*operator|operator.*viewer/],
];

async function refuses(given: () => ReturnType<typeof ask>, status: number, type: string, says: RegExp) {
  const before = await written(url, 'e2e-carol');
  const answer = await given();
  expect([answer.status, answer.text]).toEqual([status, answer.text]);
  expect(answer.body).toEqual({
    error: expect.objectContaining({ code: status, type, message: expect.stringMatching(says) }),
  });
  expect(answer.text).not.toMatch(/\n\s+at |node:internal|\.ts:\d+|node_modules/);
  expect(await written(url, 'e2e-carol')).toEqual(before);
}

describe('POST /admin/v1/test-action', () => {
  test.each(bodies)(
    '[error.bad-input] [error.shape] [error.no-leak] [action.sizes] [session.form] refuses %s',
    async (_, given, status, type, says) => {
      await refuses(() => ask(url, 'POST', '/admin/v1/test-action', given), status, type, says);
    },
  );

  test('[policy.unknown-protocol-warns] an unknown protocol is evaluated, and falls to the default', async () => {
    const result = await decided(url, key, { ...good, protocol: 'carrier-pigeon', dry_run: true });
    expect(result).toMatchObject({ decision: 'review', matched_rule: 'default' });
  });

  test('[action.http-200] huge and odd numbers that JSON can carry are taken', async () => {
    const result = await decided(url, key, {
      ...good,
      parameters: { n: 1e15, small: 5e-324, big: 2 ** 53 - 1 },
      dry_run: true,
    });
    expect(result.decision).toBe('allow');
  });

  test('[error.bad-input] __proto__ among the parameters stays a parameter', async () => {
    const body = text.replace('{', '{"dry_run":true,"parameters":{"__proto__":{"polluted":true}},');
    const { status } = await ask(url, 'POST', '/admin/v1/test-action', raw(body));
    expect([200, 400]).toContain(status);
    expect(({} as Fields).polluted).toBeUndefined();
    expect((await decided(url, key, { ...good, dry_run: true })).decision).toBe('allow');
  });
});

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

describe('votes and approvals', () => {
  const pending = async (session: string, by = key) => (await decided(url, by, pullRequest(session))).envelope_id;

  test('[sod.humans-only] an agent or a service voting is refused', async () => {
    const id = await pending('bad-agent-vote');
    for (const voter of [key, 'e2e-agent-admin', 'e2e-service'])
      await refuses(() => vote(url, voter, 'approve', id) as ReturnType<typeof ask>, 403, 'forbidden', /human/i);
  });

  test('[sod.own-request] approving one’s own request is refused', async () => {
    const id = await pending('bad-own', 'e2e-agent-of-alice');
    await refuses(
      () => vote(url, 'e2e-alice', 'approve', id) as ReturnType<typeof ask>,
      403,
      'separation_of_duties',
      /\S/,
    );
  });

  test('[approval.reviewer-required] a vote needs a reviewer, takes a comment, and nothing else', async () => {
    const id = await pending('bad-vote');
    const voting = (body: unknown) => () => vote(url, 'e2e-bob', 'approve', id, body) as ReturnType<typeof ask>;
    await refuses(voting({}), 400, 'invalid_request', /reviewer/);
    await refuses(voting({ reviewer: '' }), 400, 'invalid_request', /reviewer must not be empty/);
    await refuses(voting({ reviewer: 'bob', status: 'approved' }), 400, 'invalid_request', /status/);
    expect((await voting({ reviewer: 'bob' })()).status).toBe(200);
  });

  test('[auth.tenant-isolation] a vote on another tenant’s approval is 404, not 403', async () => {
    const id = await pending('bad-tenant');
    await refuses(
      () => vote(url, 'e2e-other-human', 'approve', id) as ReturnType<typeof ask>,
      404,
      'not_found',
      /not found/,
    );
  });

  test('[approval.decided-twice] a second vote is 409 with the record', async () => {
    const id = await pending('bad-twice');
    await vote(url, 'e2e-alice', 'approve', id);
    for (const verdict of ['approve', 'deny'] as const)
      await refuses(
        () => vote(url, 'e2e-bob', verdict, id) as ReturnType<typeof ask>,
        409,
        'conflict',
        /already approved/,
      );
  });

  test('[approval.vote-after-expiry] a vote after expiry is 409', async () => {
    const quick = {
      protocol: 'http',
      tool: 'quick.bad',
      target: 'https://a.example/b',
      capability: 'write',
      actor: { session: 'bad-late' },
    };
    const { envelope_id } = await decided(url, key, quick);
    await until('the time-out', async () => {
      const { body } = await ask(url, 'GET', `/admin/v1/approvals/${envelope_id}`, { key: 'e2e-bob' });
      return body.status === 'denied' ? true : undefined;
    });
    await refuses(
      () => vote(url, 'e2e-bob', 'approve', envelope_id) as ReturnType<typeof ask>,
      409,
      'conflict',
      /time-out/,
    );
  });

  const approved = async (session: string) => {
    const id = await pending(session);
    expect((await vote(url, 'e2e-bob', 'approve', id)).status).toBe(200);
    return id;
  };

  test('[approval.bound.parameters] approval_ref with changed parameters is review again', async () => {
    const approval_ref = await approved('bad-changed');
    const changed = await decided(url, key, { ...pullRequest('bad-changed', { base: 'release' }), approval_ref });
    expect(changed).toMatchObject({ decision: 'review', error: { data: { reason: 'call_changed' } } });
    expect((await decided(url, key, { ...pullRequest('bad-changed'), approval_ref })).decision).toBe('allow');
  });

  test('[approval.bound.session] approval_ref of another session is review again', async () => {
    const approval_ref = await approved('bad-session');
    const moved = await decided(url, key, { ...pullRequest('bad-session-2'), approval_ref });
    expect(moved).toMatchObject({ decision: 'review', error: { data: { reason: 'other_session' } } });
  });

  test('[approval.bound.key] approval_ref of another key is review again', async () => {
    const approval_ref = await approved('bad-key');
    const taken = await decided(url, 'e2e-agent-2', { ...pullRequest('bad-key-2'), approval_ref });
    expect(taken).toMatchObject({ decision: 'review', error: { data: { reason: 'other_key' } } });
  });

  test('[approval.never-lifts-block] approval_ref on a blocked call is a block', async () => {
    const approval_ref = await approved('bad-block');
    const blocked = await decided(url, key, {
      protocol: 'shell',
      tool: 'shell.rm',
      target: 'x',
      capability: 'execute',
      actor: { session: 'bad-block' },
      approval_ref,
    });
    expect(blocked).toMatchObject({ decision: 'block', error: { code: -32001 } });
  });

  test('[session.owner] another agent’s session is refused', async () => {
    await decided(url, key, { ...good, actor: { session: 'bad-mine' } });
    await refuses(
      () =>
        ask(url, 'POST', '/admin/v1/test-action', {
          key: 'e2e-agent-2',
          body: { ...good, actor: { session: 'bad-mine' } },
        }),
      403,
      'forbidden',
      /session/,
    );
  });
});

test('[evidence.secrets-redacted] [approval.withheld] a sensitive parameter reaches neither the reviewer nor the evidence, and is named', async () => {
  const secret = 'hunter2-hunter2-hunter2';
  const { envelope_id } = await decided(
    url,
    key,
    pullRequest('bad-secret', { token_for_tests: secret, password: secret }),
  );
  const item = await ask<{ withheld: string[] }>(url, 'GET', `/admin/v1/approvals/${envelope_id}`, { key: 'e2e-bob' });
  expect(item.text).not.toContain(secret);
  expect(item.body.withheld).toHaveLength(2);
  const bundle = await ask(url, 'GET', '/admin/v1/evidence/sessions/bad-secret/export', { key: 'e2e-bob' });
  expect(bundle.text).not.toContain(secret);
});

describe('hostile ids, queries and bodies at every route', () => {
  const ids = [
    '%00',
    '%0d%0aset-cookie:x',
    "'; drop table",
    '__proto__',
    'constructor',
    '..',
    '%2e%2e',
    'a'.repeat(201),
    '😀',
    '-1',
    '1e9',
    '0',
    '*',
    '#',
    '%23',
    '[object Object]',
  ];
  const queries = [
    'limit=-1',
    'limit=1e3',
    'limit=NaN',
    'cursor=e30',
    'cursor=null',
    `cursor=${'A'.repeat(5000)}`,
    'from=0',
    'to=9999999999999',
    'to=1',
    'to=2001-01-01',
    'from=2026-13-45',
    'status=__proto__',
    'kind=nope',
    'against=0',
    'against=-1',
    'against=x',
    'entries=maybe',
    '__proto__=1',
    'limit',
    '&&&',
    'limit=1&limit=1',
    '%zz=1',
    'session=../..',
  ];
  const bodies = [
    'null',
    '[]',
    '""',
    '{}',
    '{"calls":[{}]}',
    '{"reviewer":{}}',
    '{"reviewer":"\\u0000"}',
    '{"__proto__":{"a":1}}',
    '{"calls":"x","version":-1}',
    '{"version":1}',
    'version: 1',
    '\u0000',
    '- a\n- b',
    '!!js/function x',
    '%',
  ];

  test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '[error.bad-input] [error.no-leak] %s answers in the 4xx, or as asked, and never with a stack',
    async (_, { method, path }) => {
      const attempts: Promise<Awaited<ReturnType<typeof ask>>>[] = [];
      const send = (at: string, raw?: string) => {
        const type = path === '/admin/v1/config' ? 'application/yaml' : 'application/json';
        const body = raw === undefined || method === 'GET' ? {} : { raw, headers: { 'content-type': type } };
        attempts.push(ask(url, method, at, { key: gateway.keys.admin_token, ...body }));
      };
      if (path.includes('{')) for (const id of ids) send(path.replace(/\{\w+\}/, encodeURI(id)), '{}');
      const plain = path.replace('{version}', '99').replace(/\{\w+\}/, 'nobody');
      for (const query of queries) send(`${plain}?${query}`, '{}');
      if (method !== 'GET') for (const body of bodies) send(plain, body);
      for (const { status, text } of await Promise.all(attempts)) {
        expect([status < 500, status, text]).toEqual([true, status, text]);
        expect(text).not.toMatch(/\n\s+at |node:internal|node_modules/);
        if (status >= 400)
          expect(JSON.parse(text)).toEqual({
            error: expect.objectContaining({ code: status, type: expect.any(String), message: expect.any(String) }),
          });
      }
    },
  );
});
