/** A gateway over the embedded store for the tests of a file, and calls to its endpoints. */
import { caller } from './call-endpoint.ts';
import { evidenceOf } from './evidence-of.ts';
import { keys, type TestOptions, type TestPorts, testPorts } from './ports.ts';
import { useStarted } from './use-started.ts';

export const pull = {
  protocol: 'git',
  tool: 'scm.create_pull_request',
  target: 'acme/web',
  capability: 'write',
  parameters: { title: 'Fix', head: 'fix', base: 'main' },
};

let sessions = 0;
export const inSession = (action: object, session = `s${++sessions}`) => ({
  ...action,
  actor: { agent: 'writer', session },
});

type Options = TestOptions | (() => TestOptions | Promise<TestOptions>);

/** @param per `test` makes a new one before each test */
export const useGateway = (options: Options = {}, per: 'file' | 'test' = 'file') =>
  useStarted(async () => withCalls(await testPorts(typeof options === 'function' ? await options() : options)), per);

export function withCalls(made: TestPorts) {
  const { ports } = made;
  const call = caller(ports);
  const vote = (verb: string, id: string, key: string, comment?: string) =>
    call('POST', `/admin/v1/approvals/${id}/${verb}`, { key, body: { reviewer: 'alice', comment } });
  return {
    ...made,
    call,
    act: (action: object, key = keys.agent) => call('POST', '/admin/v1/test-action', { key, body: action }),
    approve: (id: string, key = keys.human) => vote('approve', id, key),
    deny: (id: string, comment?: string) => vote('deny', id, keys.human, comment),
    entriesOf: (session: string) => evidenceOf(ports, session),
  };
}
