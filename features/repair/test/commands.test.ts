/** `archive check` and `archive repair`: totals over partial results, missing entries, and exit codes. */
import { Home, serverOf } from '../../../test/unit/agentctl/support.ts';

const home = new Home();
const server = serverOf(home);

const piece = (more: object) => ({
  tenant: 'default',
  sessions: 2,
  total_entries: 40,
  missing_entries: 0,
  pending_entries: 1,
  incomplete_sessions: [],
  ...more,
});

test('[evidence.archive.check] a check adds up its partial results and succeeds if no entry is missing', async () => {
  server.on(
    'GET /admin/v1/archive/check',
    (response: { end(text: string): void; setHeader(a: string, b: string): void }) => {
      response.setHeader('content-type', 'application/json');
      const first = server.seen.length === 1;
      response.end(JSON.stringify(piece(first ? { cursor: 'next' } : {})));
    },
  );
  const { code, out } = await home.run(['archive', 'check', '--tenant', 'default']);
  expect([code, out]).toEqual([0, 'archive: 80 entries in 4 sessions, 0 missing, 2 on their way\n']);
  expect(server.seen.map(({ path }) => path)).toEqual([
    '/admin/v1/archive/check?tenant=default',
    expect.stringContaining('cursor=next'),
  ]);
});

test('[evidence.archive.check] missing entries are named by session and position, and the exit code is 1', async () => {
  const missing = [
    { from: 3, to: 3 },
    { from: 7, to: 9 },
  ];
  const incomplete = [
    { session_id: 's-1', missing_entries: 4, missing },
    { session_id: 's-2', missing_entries: 0, missing: [], contradiction: 'entry 5 differs from its copy' },
  ];
  server.on('GET /admin/v1/archive/check', piece({ missing_entries: 4, incomplete_sessions: incomplete }));
  const { code, out } = await home.run(['archive', 'check']);
  expect(code).toBe(1);
  expect(out).toContain('default s-1: 4 entries missing: 3, 7-9\n');
  expect(out).toContain('default s-2: entry 5 differs from its copy\n');
  const asJson = await home.run(['archive', 'check', '--json']);
  expect(JSON.parse(asJson.out)).toMatchObject({
    missing_entries: 4,
    incomplete_sessions: [{ session_id: 's-1' }, {}],
  });
});

test('[evidence.archive.check] a repair reports the entries that it archived and those that it refused', async () => {
  server.on('POST /admin/v1/archive/repair', {
    archived_entries: 4,
    refused: [{ session_id: 's-2', reason: 'it does not follow the copies beside it' }],
  });
  const { code, out } = await home.run([
    'archive',
    'repair',
    '--tenant',
    'default',
    '--session',
    's-1',
    '--from',
    '3',
    '--to',
    '9',
  ]);
  expect(code).toBe(1);
  expect(out).toBe('s-2: not archived: it does not follow the copies beside it\narchived: 4 entries\n');
  expect(server.seen[0]?.path).toBe('/admin/v1/archive/repair?tenant=default&session=s-1&from=3&to=9');
});

test('global options, and therefore the key, are not added to the URL that archive check requests', async () => {
  server.on('GET /admin/v1/archive/check', piece({}));
  await home.run(['archive', 'check', '--json', '--key', 'other-key-0001']);
  expect(server.seen.map((request) => request.path)).toEqual(['/admin/v1/archive/check']);
});
