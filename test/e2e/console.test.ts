/** The console files as a browser gets them from a real local run. */
import { type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.stop());

const at = (path: string, init?: RequestInit) => fetch(gateway.ready.admin_url + path, { redirect: 'manual', ...init });

/** Returns the status of a path requested without the normalisation that `fetch` applies. */
const rawStatus = (path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(gateway.ready.admin_url);
    request({ hostname, port, path }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });

/**
 * Returns everything the page loads before it works: itself, its links, and the imports of its scripts without
 * `import()`.
 */
async function firstLoad(): Promise<Map<string, string>> {
  const loaded = new Map<string, string>();
  const load = async (name: string): Promise<void> => {
    if (loaded.has(name)) return;
    const answer = await at(`/console/${name}`);
    expect([name, answer.status]).toEqual([name, 200]);
    const text = await answer.text();
    loaded.set(name, text);
    const found =
      name === '' ? text.matchAll(/(?:href|src)="([^"]+)"/g) : text.matchAll(/(?:from|import)"\.\/([^"]+)"/g);
    for (const [, next] of found) await load(next!);
  };
  await load('');
  return loaded;
}

test('[console.served] the console responds to GET and HEAD below /console/, and serves only its own files', async () => {
  const moved = await at('/console');
  expect([moved.status, moved.headers.get('location')]).toEqual([308, '/console/']);
  const browser = await at('/', { headers: { accept: 'text/html,*/*;q=0.8' }, redirect: 'manual' });
  expect([browser.status, browser.headers.get('location')]).toEqual([302, '/console/']);
  const program = await at('/', { headers: { accept: 'application/json' } });
  expect([program.status, program.headers.get('content-type')]).toEqual([404, 'application/json']);
  const page = await at('/console/');
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await page.text()).toContain('<div id="app">');
  const head = await at('/console/console.js', { method: 'HEAD' });
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
    200,
    'text/javascript; charset=utf-8',
    '',
  ]);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const refused = await at('/console/', { method });
    expect([method, refused.status, refused.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
  }
  for (const path of [
    ...['/console/build.mjs', '/console/main.tsx', '/console/../package.json', '/console/..%2fpackage.json'],
    ...['/console//index.html', '/console/__proto__', '/console/constructor', '/console/toString', '/consoles'],
  ])
    expect([path, await rawStatus(path)]).toEqual([path, 404]);
  const elsewhere = await fetch(`${gateway.ready.gateway_url}/console/`);
  expect(elsewhere.status).toBe(404);
});

test('[console.policy] every file has the content security policy, and the page references no other host and contains no inline code', async () => {
  const files = await firstLoad();
  expect(files.size).toBeGreaterThanOrEqual(4);
  for (const name of [...files.keys(), '../console']) {
    const { headers } = await at(`/console/${name}`);
    const policy = (headers.get('content-security-policy') ?? '').split('; ');
    expect(policy).toEqual([
      ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"],
      ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
      ...["require-trusted-types-for 'script'", 'trusted-types verifier'],
    ]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers.get('set-cookie')).toBeNull();
  }
  const page = files.get('') ?? '';
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=|https?:|\/\//i);
});

/** Returns the bytes of a response as they arrived on the connection, including headers. */
function wire(path: string, acceptEncoding?: string, more: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; bytes: number; body: Buffer }>(
    (resolve, reject) => {
      const headers = { ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }), ...more };
      const { hostname, port } = new URL(gateway.ready.admin_url);
      request({ hostname, port, path, method, agent: false, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            bytes: answer.socket.bytesRead,
            body: Buffer.concat(chunks),
          }),
        );
      })
        .on('error', reject)
        .end();
    },
  );
}

test('[console.size] the first page load transfers at most 70 kB, including headers', async () => {
  const names = [...(await firstLoad()).keys()];
  const browser = 'gzip, deflate, br, zstd';
  const answers = await Promise.all(names.map((name) => wire(`/console/${name}`, browser)));
  expect(names).toContain('console.js');
  expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual(names.map(() => 'br'));
  expect(answers.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(70_000);
});

test('[console.compressed] a file has the same content in every encoding, and is not sent again to a client that already has it', async () => {
  const path = '/console/console.js';
  const plain = await wire(path);
  expect(plain.headers).toMatchObject({ vary: 'accept-encoding', 'accept-ranges': 'none' });
  expect(plain.headers).not.toHaveProperty('content-encoding');
  for (const [coding, decode] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const { headers, body } = await wire(path, coding);
    expect([headers['content-encoding'], headers.vary, decode(body).equals(plain.body)]).toEqual([
      coding,
      'accept-encoding',
      true,
    ]);
    const head = await wire(path, coding, {}, 'HEAD');
    expect([head.headers['content-length'], head.body.length]).toEqual([String(body.length), 0]);
    const again = await wire(path, coding, { 'if-none-match': String(headers.etag) });
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, headers.etag]);
    // The ETag belongs to another encoding of the file.
    expect((await wire(path, undefined, { 'if-none-match': String(headers.etag) })).status).toBe(200);
  }
  const part = await wire(path, undefined, { range: 'bytes=0-9' });
  expect([part.status, part.body.length]).toEqual([200, plain.body.length]);
});

test('[console.cached] chunks are cached permanently, the page and its entry files are revalidated on each visit, and errors are not cached', async () => {
  const names = [...(await firstLoad()).keys()];
  const kept = async (name: string) => (await at(`/console/${name}`)).headers.get('cache-control');
  const chunks = names.filter((name) => name.startsWith('chunk-'));
  expect(chunks.length).toBeGreaterThan(0);
  for (const name of chunks) expect([name, await kept(name)]).toEqual([name, 'public, max-age=31536000, immutable']);
  for (const name of ['', 'console.js', 'style.css', 'engine.js'])
    expect([name, await kept(name)]).toEqual([name, 'no-cache']);
  for (const name of ['chunk-AAAAAAAA.js', '../console']) expect([name, await kept(name)]).toEqual([name, 'no-store']);
});

test('[approval.events] a request and its decision arrive as events over HTTP; other methods, agents and unknown callers are refused', async () => {
  const { human, agent } = gateway.keys;
  const path = '/admin/v1/approvals/events';
  const left = new AbortController();
  const stream = await at(path, { headers: { 'x-api-key': human }, signal: left.signal });
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const action = {
    protocol: 'git',
    tool: 'scm.create_pull_request',
    target: 'acme/site',
    capability: 'write',
    parameters: { title: 'Events', head: 'fix', base: 'main' },
    actor: { agent: 'builder', session: 'events' },
  };
  const post = (where: string, key: string, body: object) =>
    at(where, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const { envelope_id } = (await (await post('/admin/v1/test-action', agent, action)).json()) as {
    envelope_id: string;
  };
  expect((await post(`/admin/v1/approvals/${envelope_id}/deny`, human, { reviewer: 'r' })).status).toBe(200);
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes('event: decided')) break;
  }
  expect([...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name)).toEqual(['listening', 'new', 'decided']);
  expect(text).toContain(envelope_id);
  left.abort();
  for (const [key, method, status] of [
    ['wrong', 'GET', 401],
    [agent, 'GET', 403],
    [human, 'POST', 405],
  ] as const)
    expect([key, method, (await at(path, { method, headers: { 'x-api-key': key } })).status]).toEqual([
      key,
      method,
      status,
    ]);
});

test('[console.sign-in-link] the printed link signs in once; its token appears in no log, file or query, and expires when the gateway stops', async () => {
  const exchange = (body: object | string, headers: Record<string, string> = {}) =>
    at('/console/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const tokenOf = (banner: string) => /\/console\/#sign-in=([\w-]{43})\b/.exec(banner)?.[1] ?? '';
  const token = tokenOf(gateway.banner());
  expect(token).toHaveLength(43);
  for (const [body, headers, status] of [
    [{ token: `${token}x` }, {}, 401],
    [{ token }, { 'x-forwarded-for': '203.0.113.9' }, 403],
    [{ token }, { origin: 'https://elsewhere.example' }, 403],
    [{ token }, { 'content-type': 'text/plain' }, 415],
    [{ token, more: 1 }, {}, 400],
    ['{', {}, 400],
    [{ token: 'x'.repeat(2_000) }, {}, 413],
  ] as const)
    expect([body, headers, (await exchange(body, headers)).status]).toEqual([body, headers, status]);
  for (const method of ['GET', 'PUT']) expect((await at('/console/sign-in', { method })).status).toBe(405);
  const answers = await Promise.all([exchange({ token }), exchange({ token }), exchange({ token })]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  const { key } = (await answers.find(({ ok }) => ok)!.json()) as { key: string };
  expect(key).toBe(gateway.keys.human);
  expect((await exchange({ token })).status).toBe(401);
  expect(gateway.log()).not.toContain(token);
  expect(JSON.stringify(gateway.ready)).not.toContain(token);
  await gateway.restart();
  const next = tokenOf(gateway.banner());
  expect(next).not.toBe(token);
  expect((await exchange({ token })).status).toBe(401);
  expect((await exchange({ token: next })).status).toBe(200);
});
