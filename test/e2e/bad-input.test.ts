/** Bad input at every handler: a helpful typed response, no write, no leak. */
import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import { routes } from '../../features/routes.ts';
import { readCases } from '../support/yaml.ts';
import { gateway, good, key, raw, refuses, text, url } from './bad-input.ts';
import { type Ask, ask, decided, type Fields } from './client.ts';

const with_ = (change: Fields): Ask => ({ key, body: { ...good, ...change } });
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
/** Requests to test-action and the expected responses: status, type, parts of the message. */
const bodies: readonly [name: string, given: Ask, status: number, says: RegExp][] = [
  ['invalid JSON', raw('{"protocol": "git",'), 400, /JSON/],
  ['no body at all', { key, raw: '' }, 400, /protocol/],
  ['an array', raw('[]'), 400, /array.*object/],
  ['a number', raw('7'), 400, /number.*object/],
  ['null', raw('null'), 400, /null.*object/],
  ['a wrong type', with_({ tool: 7 }), 400, /tool: found 7, allowed a string/],
  ['parameters that are a list', with_({ parameters: [1] }), 400, /parameters/],
  ['an empty tool', with_({ tool: '' }), 400, /tool: found an empty string, allowed a string of 1 to 256 characters/],
  ['a missing capability', with_({ capability: undefined }), 400, /capability/],
  ['an unknown field', with_({ tenant: 'other' }), 400, /tenant/],
  [
    'a target of 5 kB',
    with_({ target: 'x'.repeat(5 * 1024) }),
    400,
    /target: found a string of 5120 characters, allowed text of at most 4096 bytes/,
  ],
  ['a target of 1 MB', with_({ target: 'x'.repeat(1024 * 1024) }), 413, /262144/],
  ['control characters', with_({ target: 'a\u0000b' }), 400, /control characters/],
  ['control characters in the tool', with_({ tool: 'scm.get\u001b[31m' }), 400, /control characters/],
  ['__proto__ as a field', raw(`{"__proto__":{"role":"admin"},${text.slice(1)}`), 400, /__proto__/],
  ['a key twice', raw(`{"protocol":"shell",${text.slice(1)}`), 400, /"protocol" twice/],
  ['a number beyond a double', raw(text.replace('{', '{"parameters":{"n":1e999},')), 400, /1e999.*2\^53/],
  ['a lone surrogate', raw(text.replace('acme', '\\ud800')), 400, /surrogate/],
  ['a lone surrogate in a key', raw(text.replace('{', '{"parameters":{"\\udc00":1},')), 400, /surrogate/],
  ['nesting of 65 levels', raw(text.replace('{', `{"parameters":${nested(64)},`)), 400, /64 levels/],
  [
    'nesting of 100,000 levels',
    raw(text.replace('{', `{"parameters":${'['.repeat(100_000)}${']'.repeat(100_000)},`)),
    400,
    /64 levels|JSON/,
  ],
  ['malformed UTF-8', { key, raw: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) }, 400, /UTF-8/],
  ['a session with a slash', with_({ actor: { session: 'a/b' } }), 400, /session.*A-Za-z0-9/],
  ['a session of 129 characters', with_({ actor: { session: 'a'.repeat(129) } }), 400, /session.*1,128/],
  [
    'a bad session header',
    { key, body: { ...good, actor: undefined }, headers: { 'x-session-id': 'a b' } },
    400,
    /session/i,
  ],
  ['an approval_ref that is no id', with_({ approval_ref: 'yes' }), 400, /approval_ref.*UUID/],
  [
    'another content type',
    { key, raw: text, headers: { 'content-type': 'text/plain' } },
    415,
    /text\/plain.*application\/json/,
  ],
  [
    'another charset',
    { key, raw: text, headers: { 'content-type': 'application/json; charset=latin1' } },
    415,
    /"latin1".*utf-8/,
  ],
  [
    'a form',
    { key, raw: 'tool=scm.get', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    415,
    /application\/json/,
  ],
  [
    'a compressed body',
    { key, raw: gzipSync(text), headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
    415,
    /gzip.*without compression/,
  ],
  ['no key', { body: good }, 401, /key/i],
  ['an unknown key', { key: 'nope', body: good }, 401, /key/i],
  ['a viewer’s key', { key: 'e2e-viewer', body: good }, 403, /viewer.*operator|operator.*viewer/],
];
describe('POST /admin/v1/test-action', () => {
  test.each(bodies)(
    '[error.plain-words] [error.shape] [limit.body] [session.source] refuses %s',
    async (_, given, status, says) => {
      await refuses(() => ask(url, 'POST', '/admin/v1/test-action', given), status, says);
    },
  );

  test('[config.warned] a call with an unknown protocol is evaluated, and the default decision applies', async () => {
    const result = await decided(url, key, { ...good, protocol: 'carrier-pigeon', dry_run: true });
    expect(result).toMatchObject({ decision: 'review', matched_rule: 'default' });
  });

  test('[action.normalised] huge and unusual numbers that are valid JSON are accepted', async () => {
    const result = await decided(url, key, {
      ...good,
      parameters: { n: 1e15, small: 5e-324, big: 2 ** 53 - 1 },
      dry_run: true,
    });
    expect(result.decision).toBe('allow');
  });

  test('[error.plain-words] a parameter named __proto__ is treated as an ordinary parameter', async () => {
    const body = text.replace('{', '{"dry_run":true,"parameters":{"__proto__":{"polluted":true}},');
    const { status } = await ask(url, 'POST', '/admin/v1/test-action', raw(body));
    expect([200, 400]).toContain(status);
    expect(({} as Fields).polluted).toBeUndefined();
    expect((await decided(url, key, { ...good, dry_run: true })).decision).toBe('allow');
  });
});
describe('hostile ids, queries and bodies at every route', () => {
  const list = z.array(z.string());
  const { ids, queries, bodies } = readCases(
    'test/e2e/hostile-inputs.yaml',
    z.strictObject({ ids: list, queries: list, bodies: list }),
  );

  test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '[error.plain-words] [error.shape] %s returns a 4xx or a normal response, and never a stack trace',
    async (_, { method, path }) => {
      const attempts: (() => ReturnType<typeof ask>)[] = [];
      const send = (at: string, raw?: string) => {
        const type = path === '/admin/v1/config' ? 'application/yaml' : 'application/json';
        const body = raw === undefined || method === 'GET' ? {} : { raw, headers: { 'content-type': type } };
        attempts.push(() => ask(url, method, at, { key: gateway.keys.admin_token, ...body }));
      };
      if (path.includes('{'))
        for (const id of [...ids, 'a'.repeat(201)]) send(path.replace(/\{\w+\}/, encodeURI(id)), '{}');
      const plain = path.replace('{version}', '99').replace(/\{\w+\}/, 'nobody');
      for (const query of [...queries, `cursor=${'A'.repeat(5000)}`]) send(`${plain}?${query}`, '{}');
      if (method !== 'GET') for (const body of bodies) send(plain, body);
      // Sent all at the same time, they would exceed the gateway's capacity, and some would get 503.
      const answers = [];
      while (attempts.length > 0)
        answers.push(...(await Promise.all(attempts.splice(0, 6).map((attempt) => attempt()))));
      for (const { status, text } of answers) {
        expect([status < 500, status, text]).toEqual([true, status, text]);
        expect(text).not.toMatch(/\n\s+at |node:internal|node_modules/);
        if (status < 400) continue;
        const { errors, ...refusal } = JSON.parse(text);
        // GraphQL clients read these.
        expect(errors === undefined || path.endsWith('/graphql')).toBe(true);
        expect(refusal).toEqual({
          error: expect.objectContaining({ code: status, type: expect.any(String), message: expect.any(String) }),
        });
      }
    },
  );
});
