/** `agentctl federation`: the commands that display data planes. */
import { Home, serverOf } from '../../../test/unit/agentctl/support.ts';

const home = new Home();
const server = serverOf(home);

const path = 'GET /admin/v1/federation/planes';
const seen = { seen_at: '2026-01-01T00:00:00.000Z', version: 7, behind: 0, healthy: true, pending_approvals: 2 };

test('[federation.status] planes are shown as a table; the exit code shows whether all are healthy', async () => {
  server.on(path, { version: 7, public_key_sha256: 'abc', planes: [{ name: 'eu', state: 'ok', ...seen }] });
  const well = await home.run(['federation', 'planes']);
  expect(well.out).toMatch(/eu +ok +2026-01-01T00:00:00.000Z +7 +0 +2/);
  expect(well.code).toBe(0);

  const divergence = { tenant: 'default', session_id: 's1', index: 3, kind: 'cut' };
  server.on(path, {
    version: 7,
    planes: [
      { name: 'eu', state: 'diverged', ...seen, divergence },
      { name: 'us', state: 'unhealthy', ...seen, refused: 'its version 6 is older than 7' },
      { name: 'ap', state: 'never_seen' },
      { name: 'sa', state: 'unhealthy', ...seen, skew_seconds: -1200 },
    ],
  });
  const ill = await home.run(['federation', 'planes']);
  expect(ill.code).toBe(1);
  expect(ill.out).toMatch(/eu +diverged .* cut of default\/s1 at entry 3/);
  expect(ill.out).toMatch(/us +unhealthy .* refused: its version 6 is older than 7/);
  expect(ill.out).toMatch(/ap +never_seen/);
  expect(ill.out).toMatch(/sa +unhealthy .* clock 20 minutes behind/);

  server.on(path, { version: 7, planes: [] });
  expect((await home.run(['federation', 'planes'])).out).toContain('has no data planes');
});

test('[federation.status] key prints the digest that data planes pin', async () => {
  server.on(path, { version: 7, public_key_sha256: 'abc', planes: [] });
  expect((await home.run(['federation', 'key'])).out).toBe('abc\n');
});

test('[federation.status] accept names the plane and prints its new state', async () => {
  server.on('POST /admin/v1/federation/planes/eu/accept', { name: 'eu', state: 'ok' });
  expect((await home.run(['federation', 'accept', 'eu'])).out).toBe('eu is ok\n');
});
