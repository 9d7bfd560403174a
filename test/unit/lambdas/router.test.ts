/** Paths of the local listener: as in the routes table, and the MCP endpoint with a slash behind it as well. */
import type { HttpEvent } from '#core/contracts/http.ts';
import { proxyPathOf, routes } from '#core/contracts/routes.ts';
import { hintOf } from '#lambdas/middleware/path-hints.ts';
import { createLocator, createRouter } from '#lambdas/middleware/router.ts';

const router = createRouter(routes);

test('[mcp.json-rpc] /mcp/ is the MCP endpoint, and no other path has a second spelling', () => {
  expect(router('POST', '/mcp/')).toEqual(router('POST', '/mcp'));
  for (const path of ['/mcp//', '//mcp', '/v1/models/', '/admin/v1/approvals/'])
    expect(() => router('POST', path)).toThrow(/There is nothing at/);
});

describe('[admin.proxied-routes] a proxy', () => {
  it('stands for routes of one function alone', () => {
    const functions = Map.groupBy(routes.filter(proxyPathOf), (route) => proxyPathOf(route));
    for (const [proxy, behind] of functions)
      expect([proxy, new Set(behind.map(({ handledBy }) => handledBy)).size]).toEqual([proxy, 1]);
    expect([...functions.keys()]).toEqual(
      expect.arrayContaining(['/admin/v1/{proxy+}', '/admin/v1/approvals/{proxy+}']),
    );
  });

  it('covers no path of another function that has no resource of its own', () => {
    for (const route of routes.filter(({ surface }) => surface === 'admin')) {
      const own = proxyPathOf(route);
      const family = `/admin/v1/${route.path.split('/')[3]}/{proxy+}`;
      const covered = routes.some((other) => proxyPathOf(other) === family);
      if (covered && route.path.split('/').length > 4) expect([route.path, own]).toEqual([route.path, family]);
    }
  });
});

describe('[admin.proxied-routes] an event below {proxy+}', () => {
  const own = routes.filter(({ handledBy }) => handledBy === 'observatory');
  const located = createLocator(own);
  const below = (path: string) =>
    ({ resource: '/admin/v1/{proxy+}', path, pathParameters: { proxy: path.slice(10) } }) as unknown as HttpEvent;

  it.each(own.filter(proxyPathOf).map(({ path }) => path))('is located at %s', (path) => {
    const event = located(below(path.replace(/\{(\w+)\}/g, 'id-of-$1')));
    expect(event.resource).toBe(path);
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, `id-of-${name}`]);
    expect(event.pathParameters).toEqual(Object.fromEntries(names));
  });

  it.each(['/admin/v1/approvals', '/admin/v1/usage/', '/admin/v1//usage', '/admin/v1/%75sage', '/admin/v1/nothing'])(
    'has no route at %s, which is not a path of this function',
    (path) => {
      expect(located(below(path))).toEqual(below(path));
    },
  );

  it('stays as it is where API Gateway found the resource', () => {
    const event = { ...below('/admin/v1/usage'), resource: '/metrics' };
    expect(located(event)).toBe(event);
  });
});

test.each([
  ['/openai/deployments/gpt-5/chat/completions', 'no paths of Azure OpenAI'],
  ['/openai/v1/responses', 'no paths of Azure OpenAI'],
  ['/v1/engines/gpt/completions', 'no paths of Azure OpenAI'],
  ['/v1/chat', 'POST /v1/chat/completions'],
  ['/chat', 'POST /v1/chat/completions'],
  ['/v1/chat/completion', 'POST /v1/chat/completions'],
  ['/v1/message', 'POST /v1/messages'],
  ['/v1/completion', 'POST /v1/chat/completions'],
  ['/v1/complete', 'POST /v1/chat/completions'],
  ['/v1/embedding', '/v1/embeddings'],
  ['/v1/model', '/v1/models'],
  ['/v1/v1/messages', 'leave /v1 out'],
  ['/v1/chat/completions/', 'Leave out the slash'],
  ['/v1/models/', 'Leave out the slash'],
  ['/chat/completions', 'ends with /v1'],
  ['/files', 'ends with /v1'],
  ['/batches/b-1', 'ends with /v1'],
  ['/v1/uploads', 'at /v1/files, for batches alone'],
  ['/v1/messages/batches/b-1/results', 'send the calls one by one'],
  ['/v1/responses/resp_1/cancel', 'close the stream'],
  ['/v1/conversations', 'previous_response_id'],
  ['/v1/responses/compact', 'shorten the conversation itself'],
  ['/v1/responses/input_tokens', 'estimate tokens'],
  ['/v1/audio/speech', 'point it to the provider for this endpoint'],
  ['/v1/realtime/sessions', 'point it to the provider for this endpoint'],
  ['/v1beta/models/gemini:generateContent', 'does not speak the form of Gemini'],
])('[error.not-found-hint] a client that asks for %s reads what to set', (path, says) => {
  expect(hintOf(path)).toMatch(/^ \S/);
  expect(hintOf(path)).toContain(says);
});

test.each([
  '/v1/else',
  '/',
  '/admin/v1/files',
  '/v1/filesystem',
  '/v1/batchesx',
  '/v1/chatter',
  '/openaix/v1',
  '/v1/messaged',
])('[error.not-found-hint] nothing is guessed of %s', (path) => {
  expect(hintOf(path)).toBe('');
});
