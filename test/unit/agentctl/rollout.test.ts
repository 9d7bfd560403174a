/** `agentctl rollout`: requests and output. */
import { Home, serverOf } from './support.ts';

const home = new Home();
const server = serverOf(home);

test('[rollout.create] rollout create sends only the options that were given; list prints a table', async () => {
  server.on('POST /admin/v1/rollouts', { id: 'r1', state: 'running' });
  await home.run(
    'rollout create --model gpt-4o --canary new --stages 5,100 --window 10m --error-threshold 2'.split(' '),
  );
  expect(JSON.parse(server.seen[0]!.body)).toEqual({
    route_model: 'gpt-4o',
    canary_provider: 'new',
    stages: [5, 100],
    observation_window: '10m',
    error_threshold: 2,
  });
  server.on('GET /admin/v1/rollouts', {
    rollouts: [{ id: 'r1', state: 'running', current_percentage: 5, route_model: 'gpt-4o', canary_provider: 'new' }],
  });
  expect((await home.run(['rollout', 'list'])).out).toMatch(/r1 +running +5 % +gpt-4o +new/);
  server.on('GET /admin/v1/rollouts', { rollouts: [] });
  expect((await home.run(['rollout', 'list'])).out).toContain('there is no rollout');
});
