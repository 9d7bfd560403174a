/** HTTP calls: the address that is actually connected to, and the method that is actually sent. */
import fc from 'fast-check';
import * as z from 'zod';
import { codePoint } from '../../support/code-point.ts';
import { runs } from '../../support/extent.ts';
import { readCases, rows, text } from '../../support/yaml.ts';
import { only, read } from './http-reading.ts';

const cases = readCases(
  'test/unit/effects/http.yaml',
  z.strictObject({ spellings: rows(text, text), tricks: rows(text, text, text) }),
);

test('a part is the method applied to the address', () => {
  expect(read({ target: 'https://api.example.com/v1/users?x=1', parameters: { timeout: 3 } })).toEqual({
    parts: [
      {
        protocol: 'http',
        tool: 'http.get',
        target: 'https://api.example.com/v1/users?x=1',
        capability: 'read',
        parameters: {
          timeout: 3,
          method: 'get',
          scheme: 'https',
          host: 'api.example.com',
          port: '443',
          path: '/v1/users',
          query: '?x=1',
        },
      },
    ],
    carrier: true,
  });
});
describe('one spelling', () => {
  test.each(cases.spellings)('%s is %s', (target, normal) => {
    expect(read({ target }).unclear).toBeUndefined();
    expect(only({ target }).target).toBe(normal);
  });
});
describe('tricks', () => {
  test.each([...cases.tricks, [`https://good.example/${'.'.repeat(20_000)}`, '', 'longer than']] as const)(
    '%j goes to %s and is unclear',
    (target, host, why) => {
      const effects = read({ target });
      expect(effects.unclear).toContain(why);
      expect(effects.parts.map(({ parameters }) => parameters.host)).toEqual([host]);
    },
  );

  test('the effects never show a password', () => {
    expect(JSON.stringify(read({ target: 'https://me:hunter2@example.com/' }))).not.toContain('hunter2');
    expect(JSON.stringify(read({ target: 'ftp://me:hunter2@example.com/' }))).not.toContain('hunter2');
    expect(JSON.stringify(read({ parameters: { url: 'https://me:hunter2@example.com/' } }))).not.toContain('hunter2');
  });

  test('encoded dot segments are resolved', () => {
    expect(only({ target: 'https://good.example/a/%2e%2e/admin' }).target).toBe('https://good.example/admin');
  });

  test('detects a header that changes the host or method', () => {
    const target = 'https://good.example/';
    expect(read({ target, parameters: { headers: { Host: 'evil.example' } } }).unclear).toContain('a different host');
    expect(read({ target, parameters: { headers: [['host', 'good.example']] } }).unclear).toBeUndefined();
    const overridden = read({ tool: 'http.post', target, parameters: { headers: ['X-HTTP-Method-Override: DELETE'] } });
    expect(overridden.parts.map(({ tool }) => tool)).toEqual(['http.post', 'http.delete']);
  });

  test('two addresses', () => {
    const effects = read({ target: 'https://good.example/', parameters: { url: 'https://evil.example/' } });
    expect(effects.unclear).toContain('more than one address');
    expect(effects.parts.map(({ parameters }) => parameters.host)).toEqual(['good.example', 'evil.example']);
    expect(read({ target: 'HTTPS://a.example', parameters: { url: 'https://a.example/' } }).unclear).toBeUndefined();
  });

  test('forged host parameters are ignored', () => {
    const { parameters } = only({
      target: 'https://evil.example/',
      parameters: { host: 'good.example', method: 'GET' },
    });
    expect(parameters).toMatchObject({ host: 'evil.example', method: 'get' });
  });
});
describe('the method', () => {
  test.each([
    ['http.get', {}, 'http.get', 'read'],
    ['http.POST', {}, 'http.post', 'write'],
    ['http.delete', {}, 'http.delete', 'delete'],
    ['http.request', { method: 'PATCH' }, 'http.patch', 'write'],
    ['http.request', {}, 'http.get', 'read'],
    ['http.request', { body: 'x' }, 'http.post', 'write'],
    ['http.request', { method: 'PROPFIND' }, 'http.propfind', 'execute'],
    ['web.http_get', {}, 'http.get', 'read'],
  ])('of %s %j is %s', (tool, parameters, normal, capability) => {
    const call = { tool, target: 'https://a.example/', parameters };
    expect(only(call)).toMatchObject({ tool: normal, capability });
    expect(read(call).unclear).toBeUndefined();
  });

  test('the method in the tool name and the one in a parameter must match', () => {
    const effects = read({ tool: 'http.get', target: 'https://a.example/', parameters: { method: 'DELETE' } });
    expect(effects.unclear).toContain('its parameter "method" differ');
    expect(effects.parts.map(({ capability }) => capability)).toEqual(['read', 'delete']);
    for (const method of ['GET\r\nX', 7])
      expect(
        read({ tool: 'http.request', target: 'https://a.example/', parameters: { method } }).unclear,
      ).toBeDefined();
  });
});
test('fetch tools in other protocols are carriers, but other tools are not', () => {
  const url = 'https://a.example/';
  const of = (tool: string) => read({ protocol: 'mcp', tool, parameters: { url } });
  expect(of('fetch')).toMatchObject({ carrier: true, parts: [{ tool: 'http.get', target: url }] });
  expect(of('browser.navigate').carrier).toBe(false);
});
test('an operation with an unknown name has no separate effects', () => {
  for (const tool of ['billing.refund', 'quick.bad', 'crm.lookup'])
    for (const target of ['acme', 'https://pay.example/refunds'])
      expect(read({ tool, target })).toEqual({ parts: [], carrier: false });
  expect(read({ tool: 'billing.refund', target: 'https://user:secret@pay.example/' }).unclear).toBeDefined();
});
test('every call that names a method has parts or is unclear', () => {
  const text = fc.oneof(fc.webUrl(), fc.string(), fc.string({ unit: codePoint }));
  fc.assert(
    fc.property(
      text,
      fc.string(),
      fc.dictionary(fc.constantFrom('url', 'method', 'headers'), fc.jsonValue()),
      (target, tool, parameters) => {
        const { parts, unclear } = read({ target, tool, parameters });
        for (const part of parts) expect(part.protocol).toBe('http');
        const names = parameters.method !== undefined;
        if (names) expect(parts.length > 0 || unclear !== undefined).toBe(true);
      },
    ),
    { numRuns: runs(1_000, 150) },
  );
});
test('a canonical address stays unchanged', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true }), (target) => {
      const once = only({ target }).target;
      expect(only({ target: once }).target).toBe(once);
    }),
  );
});
