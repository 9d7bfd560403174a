/** kill -9 during an action: the next start completes its evidence, and a repeated request does not run the action. */
import type { DecisionResult } from '../../core/contracts/envelope.ts';
import { type FakeHttpService, fakeHttpService } from '../support/fake-http-service.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ask, configurationWith, exportOf } from './client.ts';

let service: FakeHttpService;
let gateway: Gateway;

beforeAll(async () => {
  service = await fakeHttpService(({ path }) => (path.startsWith('/hang') ? 'hang' : { status: 201, body: { id: 7 } }));
  gateway = await startGateway({
    config: configurationWith(
      (yaml) =>
        `${yaml.replace('  rules:\n', '  rules:\n    - { protocol: http, tool: http.post, decision: allow }\n')}
upstreams:
  http: [{ name: notes, base_url: "${service.url}", allow_private: true, allowed_methods: [POST] }]
`,
    ),
  });
});
afterAll(async () => {
  await gateway?.stop();
  await service?.stop();
});

const post = (session: string, path: string) =>
  ask<DecisionResult>(gateway.ready.admin_url, 'POST', '/admin/v1/test-action', {
    key: 'e2e-agent',
    headers: { 'idempotency-key': `key-of-${session}` },
    body: {
      protocol: 'http',
      tool: 'http.post',
      target: `notes/${path}`,
      capability: 'write',
      parameters: { json: { session } },
      actor: { session },
    },
  });

const story = async (session: string) =>
  (await exportOf(gateway.ready.admin_url, 'e2e-bob', session)).entries.map(({ kind, body }) => [kind, body.outcome]);

test('[action.decision-before-effect] [action.idempotency-key] calls interrupted by kill -9 are reported as unknown after restart, and are not repeated', async () => {
  const done = await post('done', 'notes');
  expect(done.body).toMatchObject({ decision: 'allow', result: { status: 201 } });

  const arrived = service.arrived();
  const cut = post('cut', 'hang').catch(() => 'cut');
  await arrived;
  await gateway.kill9();
  expect(await cut).toBe('cut');
  await gateway.restart();

  expect(await story('cut')).toEqual([
    ['allow', undefined],
    ['result', 'unknown'],
  ]);
  expect((await post('cut', 'hang')).body).toMatchObject({ replayed: true, error: { data: { outcome: 'unknown' } } });
  expect((await post('done', 'notes')).body).toMatchObject({ replayed: true, result: { status: 201 } });
  expect(await story('done')).toEqual([
    ['allow', undefined],
    ['result', 'executed'],
  ]);
  expect(service.asked).toHaveLength(2);
});
