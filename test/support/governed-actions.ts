/** A gateway and actions through its pipeline. */
import { caller } from './call-endpoint.ts';
import { keys, type TestPorts, testPorts } from './ports.ts';

export const pull = {
  protocol: 'git',
  tool: 'scm.create_pull_request',
  target: 'acme/web',
  capability: 'write',
  parameters: { title: 'Fix', head: 'fix', base: 'main' },
};

export let gateway: TestPorts;
export let call: ReturnType<typeof caller>;
let session = 0;

beforeAll(async () => {
  gateway = await testPorts();
  call = caller(gateway.ports);
});
afterAll(() => gateway.stop());

export const inSession = (action: object, name = `s${++session}`) => ({
  ...action,
  actor: { agent: 'writer', session: name },
});
export const act = (action: object, key = keys.agent) => call('POST', '/admin/v1/test-action', { key, body: action });
export const approve = (id: string, key = keys.human) =>
  call('POST', `/admin/v1/approvals/${id}/approve`, { key, body: { reviewer: 'alice', comment: 'ok' } });
export const deny = (id: string, comment?: string) =>
  call('POST', `/admin/v1/approvals/${id}/deny`, { key: keys.human, body: { reviewer: 'alice', comment } });
