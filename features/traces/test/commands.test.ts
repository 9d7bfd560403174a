/** `agentctl traces`: requests and output. */
import { Home, serverOf } from '../../../test/unit/agentctl/support.ts';

const home = new Home();
const server = serverOf(home);

test('[trace.routes] traces list passes on its filters, and show draws a tree', async () => {
  server.on('GET /admin/v1/traces', {
    traces: [
      {
        trace_id: 't1',
        started_at: '2026-01-01T00:00:00.000Z',
        duration_ms: 12,
        root: 'gateway.chat_completion',
        status: 'ok',
        model: 'mock',
        spans: 2,
      },
    ],
    next: 'c1',
  });
  const filters = ['--session', 's', '--status', 'ok', '--min-ms', '5', '--from', '2026-01-01T00:00:00Z'];
  const listed = await home.run(['traces', 'list', ...filters, '--limit', '1']);
  expect(server.seen[0]!.path).toBe(
    '/admin/v1/traces?session=s&status=ok&min_ms=5&from=2026-01-01T00%3A00%3A00Z&limit=1',
  );
  expect(listed.out).toContain(`more: agentctl traces list ${filters.join(' ')} --limit 1 --cursor c1\n`);
  expect(listed.out).toMatch(/t1 .* 12 ms +gateway\.chat_completion +ok +mock/);
  server.on('GET /admin/v1/traces/t1', {
    trace_id: 't1',
    spans: [
      { span_id: 'a', parent_id: 'caller', name: 'gateway.chat_completion', duration_ms: 12, status: 'ok' },
      { span_id: 'b', parent_id: 'a', name: 'provider.call', duration_ms: 10, status: 'error' },
    ],
  });
  expect((await home.run(['traces', 'show', 't1'])).out).toBe(
    'gateway.chat_completion  12 ms\n  provider.call  10 ms  error\n',
  );
  server.on('GET /admin/v1/traces', { traces: [] });
  expect((await home.run(['traces', 'list'])).out).toContain('no trace fits');
  expect((await home.run(['traces'])).out).toContain('no trace fits');
});

test.each([
  ['traces list', ['traces', 'list', '--json', '--key', 'other-key-0001'], '/admin/v1/traces'],
  ['traces', ['traces', '--json', '--key', 'other-key-0001'], '/admin/v1/traces'],
])('global options, and therefore the key, are not added to the URL that %s requests', async (_name, words, path) => {
  server.on(`GET ${path}`, { traces: [] });
  await home.run(words);
  expect(server.seen.map((request) => request.path)).toEqual([path]);
});
