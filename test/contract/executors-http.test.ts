/** The HTTP exchange against real sockets: the addresses it connects to, redirects, and the output it shows. */
import { httpExchange } from '#adapters/executors/http-exchange.ts';
import { executorsFrom } from '#core/execution/executors/executors.ts';
import { configured, credentialOf, envelopeOf, faultOf, noClients } from '../support/executor-cases.ts';
import { type Asked, type Behaviour, fakeHttpService } from '../support/fake-http-service.ts';
import { useStarted } from '../support/use-started.ts';

let behave: (asked: Asked) => Behaviour;
const service = useStarted(() => fakeHttpService((asked) => behave(asked)));
beforeEach(() => {
  service.asked.length = 0;
  behave = () => ({ body: 'ok' });
});

const request = (url: string, allowPrivate = true) => ({
  url,
  method: 'GET',
  headers: {},
  allowPrivate,
  timeoutMs: 60_000,
  maxResponseBytes: 1000,
});

describe('one exchange', () => {
  test('refuses private addresses, literal or resolved from a name', async () => {
    const exchange = httpExchange({ resolve: async () => ['127.0.0.1'] });
    for (const url of [service.url, `http://api.test:${service.port}/`, `http://[::1]:${service.port}/`]) {
      expect(await faultOf(exchange(request(url, false)))).toMatchObject({ kind: 'refused', effect: 'none' });
    }
    expect(service.asked).toEqual([]);
  });

  test('refuses a name if any of its addresses is private', async () => {
    const exchange = httpExchange({ resolve: async () => ['93.184.216.34', '10.0.0.1'] });
    expect(await faultOf(exchange(request('http://api.test/', false)))).toMatchObject({ kind: 'refused' });
  });

  test('[executor.http] resolves a name once and connects to the address that was checked', async () => {
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    const resolve = jest.fn(async () => answers.shift() ?? []);
    const answer = await httpExchange({ resolve })(request(`http://api.test:${service.port}/x`));
    expect(answer.status).toBe(200);
    expect(resolve).toHaveBeenCalledTimes(1);
    expect(service.asked[0]).toMatchObject({ path: '/x', headers: { host: `api.test:${service.port}` } });
  });

  test('reports a name that cannot be resolved', async () => {
    const exchange = httpExchange({ resolve: () => Promise.reject(new Error('ENOTFOUND secret.internal')) });
    expect(await faultOf(exchange(request('http://api.test/')))).toMatchObject({ kind: 'unreachable' });
  });

  test('truncates a long response without reading it to the end', async () => {
    behave = () => ({ body: 'x'.repeat(1_000_000) });
    const { body, truncated } = await httpExchange()(request(service.url));
    expect(truncated).toBe(true);
    expect(body).toHaveLength(1000);
  });

  test('accepts a response without a body', async () => {
    behave = () => ({ status: 204 });
    expect(await httpExchange()(request(service.url))).toMatchObject({ status: 204, truncated: false });
  });
});

describe('executor http', () => {
  const executor = (entry: object = {}) => {
    const base = { name: 'billing', base_url: `${service.url}/v1`, allow_private: true };
    const [made] = executorsFrom(configured({ upstreams: { http: [{ ...base, ...entry }] } }), {
      ...noClients,
      secrets: { get: async () => undefined },
      http: httpExchange(),
    });
    return made!;
  };
  const get = (path = '/x', parameters = {}) => envelopeOf('http', 'billing.get', path, 'read', parameters);

  test.each([301, 302, 303, 307, 308])('does not follow a %d, and names the host it points to', async (status) => {
    behave = () => ({ status, headers: { location: 'http://metadata.test/latest?token=abc' } });
    const fault = await faultOf(executor().execute(get(), credentialOf('s3cret-value')));
    expect(fault).toMatchObject({ kind: 'malformed', status });
    expect((fault as Error).message).toContain('points to metadata.test.');
    expect((fault as Error).message).not.toContain('token');
    expect(service.asked).toHaveLength(1);
  });

  test('sends the request, with the credential as configured', async () => {
    const post = envelopeOf('http', 'billing.post', 'billing/invoices?dry=1', 'write', {
      json: { amount: 1 },
      headers: { 'Idempotency-Key': 'k1', 'x-tenant': 't' },
    });
    const entry = {
      allowed_methods: ['POST'],
      allowed_headers: ['x-tenant'],
      credential: { header: 'X-Api-Key', scheme: '' },
    };
    await executor(entry).execute(post, credentialOf('s3cret-value'));
    expect(service.asked).toMatchObject([{ method: 'POST', path: '/v1/invoices?dry=1', body: '{"amount":1}' }]);
    expect(service.asked[0]!.headers).toMatchObject({
      'x-api-key': 's3cret-value',
      'content-type': 'application/json',
      'idempotency-key': 'k1',
      'x-tenant': 't',
      'accept-encoding': 'identity',
      host: `127.0.0.1:${service.port}`,
      'content-length': '12',
    });
    expect(service.asked[0]!.headers.authorization).toBeUndefined();
  });

  test('sends a leased login as Basic authentication', async () => {
    const entry = { credential: { scheme: 'Basic' } };
    const login = credentialOf(JSON.stringify({ username: 'bob', password: 'pässword' }));
    await executor(entry).execute(get(), login);
    expect(service.asked[0]!.headers.authorization).toBe(`Basic ${Buffer.from('bob:pässword').toString('base64')}`);
  });

  test('refuses a credential that would break out of its header', async () => {
    const fault = await faultOf(executor().execute(get(), credentialOf('a\r\nx-evil: 1')));
    expect(fault).toMatchObject({ kind: 'refused' });
    expect(service.asked).toEqual([]);
  });

  test('shows only harmless headers, JSON as JSON, and bytes as base64', async () => {
    behave = () => ({ headers: { 'set-cookie': 'session=abc', etag: '"1"', 'x-powered-by': 'x' }, body: { a: [1] } });
    const result = await executor().execute(get(), undefined);
    expect(result).toMatchObject({ status: 200, body: { a: [1] }, truncated: false });
    expect(Object.keys((result as { headers: object }).headers).sort()).toEqual(['content-type', 'date', 'etag']);
    behave = () => ({ body: Uint8Array.of(0, 255, 1) });
    expect(await executor().execute(get(), undefined)).toMatchObject({ body: 'AP8B', encoding: 'base64' });
    behave = () => ({ headers: { 'content-encoding': 'gzip' }, body: 'not really' });
    expect(await executor().execute(get(), undefined)).toMatchObject({ encoding: 'base64' });
    behave = () => ({ headers: { 'content-type': 'application/json' }, body: '{broken' });
    expect(await executor().execute(get(), undefined)).toMatchObject({ body: '{broken' });
  });

  test('truncates text only between characters', async () => {
    behave = () => ({ body: 'ä'.repeat(10) });
    const result = await executor({ max_response_bytes: 5 }).execute(get(), undefined);
    expect(result).toMatchObject({ body: 'ää', truncated: true });
  });

  test.each([
    [401, {}, 'unauthorized'],
    [403, {}, 'forbidden'],
    [403, { 'retry-after': '5' }, 'throttled'],
    [404, {}, 'not_found'],
    [409, {}, 'conflict'],
    [422, {}, 'invalid'],
    [429, {}, 'throttled'],
    [500, {}, 'unavailable'],
  ])('%d %p is %s', async (status, headers, kind) => {
    behave = () => ({ status, headers, body: { error: { message: 'the reason.\nmore' } } });
    const fault = await faultOf(executor().execute(get(), undefined));
    expect(fault).toMatchObject({ kind, status, tool: 'billing.get', upstream: 'billing' });
    expect((fault as Error).message).toContain(`it answered ${status}, "the reason. more". `);
  });

  test('refuses a body that is too large before anything is sent', async () => {
    const post = envelopeOf('http', 'billing.post', '/x', 'write', { body: 'x'.repeat(20) });
    const fault = await faultOf(
      executor({ allowed_methods: ['POST'], max_request_bytes: 10 }).execute(post, undefined),
    );
    expect(fault).toMatchObject({ kind: 'refused' });
    expect(service.asked).toEqual([]);
  });
});
