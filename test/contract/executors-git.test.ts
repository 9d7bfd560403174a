/** Executor `git` against a server that responds like a Git host. */
import { httpExchange } from '#adapters/executors/http-exchange.ts';
import { executorsFrom } from '#core/execution/executors/executors.ts';
import {
  configured,
  credentialOf,
  envelopeOf,
  fakeRepositoryHost,
  faultOf,
  noClients,
  someSha,
} from '../support/executor-cases.ts';
import type { Asked, Behaviour } from '../support/fake-http-service.ts';
import { useStarted } from '../support/use-started.ts';

let instead: (asked: Asked) => Behaviour | undefined;
const host = useStarted(() => fakeRepositoryHost((asked) => instead(asked)));
beforeEach(() => {
  host.asked.length = 0;
  instead = () => undefined;
});

const token = credentialOf('ghs_abcdefghijklmnopqrstuvwxyz0123456789');
const executor = (git: object = {}, brokers: object[] = []) => {
  const sections = {
    executors: { git: { enabled: true, allow_private: true, api_url: host.url, ...git } },
    credentials: { brokers },
  };
  const ports = { ...noClients, secrets: { get: async () => undefined }, http: httpExchange() };
  return executorsFrom(configured(sections), ports)[0]!;
};
const act = (tool: string, parameters: Record<string, unknown> = {}, target = 'acme/web') =>
  executor().execute(envelopeOf('git', `scm.${tool}`, target, 'write', parameters), token);
const calls = () => host.asked.map(({ method, path }) => `${method} ${path}`);
const sent = (index: number): unknown => JSON.parse(host.asked.at(index)!.body);

test('a file is read as text at a given reference', async () => {
  expect(await act('get_file_contents', { path: 'src/a b.ts', ref: 'feature/x', owner: 'acme', repo: 'Web' })).toEqual({
    path: 'src/a b.ts',
    sha: someSha,
    size: 5,
    type: 'file',
    encoding: 'utf-8',
    content: 'hello',
  });
  expect(calls()).toEqual(['GET /repos/acme/web/contents/src/a%20b.ts?ref=feature%2Fx']);
  expect(host.asked[0]!.headers).toMatchObject({ authorization: `Bearer ${token.secret}` });
});

test('lists indicate whether there are more items', async () => {
  expect(await act('list_branches', { per_page: 1 })).toEqual({
    branches: [{ name: 'main', sha: someSha, protected: true }],
    more: true,
  });
  expect(calls()).toEqual(['GET /repos/acme/web/branches?per_page=1']);
});

test('[action.executed] a pull request returns pr_url and pr_number', async () => {
  const asked = { title: 'Fix', head: 'fix', base: 'main', body: 'Why' };
  expect(await act('create_pull_request', asked)).toMatchObject({
    pr_url: 'https://git.test/acme/web/pull/7',
    pr_number: 7,
    head: { ref: 'fix' },
  });
  expect(sent(0)).toEqual(asked);
});

test('a branch can start from another branch, the default branch or a commit', async () => {
  await act('create_branch', { branch: 'new', from_branch: 'feature/x' });
  expect(calls()).toEqual(['GET /repos/acme/web/git/ref/heads/feature/x', 'POST /repos/acme/web/git/refs']);
  expect(sent(-1)).toEqual({ ref: 'refs/heads/new', sha: someSha });
  expect(await act('create_branch', { branch: 'new' })).toEqual({ branch: 'new', sha: someSha });
  host.asked.length = 0;
  await act('create_branch', { branch: 'new', from_sha: 'e'.repeat(40) });
  expect(calls()).toEqual(['POST /repos/acme/web/git/refs']);
});

test('a file is written to the named branch', async () => {
  const parameters = { path: 'docs/a.md', content: 'äöü', message: 'docs', branch: 'feature/x' };
  expect(await act('create_or_update_file', parameters)).toMatchObject({ path: 'docs/a.md', commit: someSha });
  expect(sent(0)).toEqual({ message: 'docs', branch: 'feature/x', content: Buffer.from('äöü').toString('base64') });
});

test('[executor.git] several files become one commit; the branch is moved last and never force-pushed', async () => {
  const files = [
    { path: 'a.ts', content: 'a' },
    { path: 'b.ts', content: 'b' },
  ];
  const result = await act('push_files', { branch: 'feature/x', message: 'two', files });
  expect(result).toEqual({ branch: 'feature/x', commit: 'd'.repeat(40), files: ['a.ts', 'b.ts'] });
  expect(calls().at(-1)).toBe('PATCH /repos/acme/web/git/refs/heads/feature/x');
  expect(sent(-1)).toEqual({ sha: 'd'.repeat(40), force: false });
});

describe('when the connection to the host is lost', () => {
  const files = [{ path: 'a.ts', content: 'a' }];
  const push = () => act('push_files', { branch: 'feature/x', message: 'm', files });

  test('before the branch is moved, no file changes', async () => {
    instead = ({ path }) => (path.endsWith('/git/commits') ? 'cut' : undefined);
    expect(await faultOf(push())).toMatchObject({ effect: 'none', kind: 'cut' });
  });

  test('while the branch is being moved, the outcome is unknown', async () => {
    instead = ({ method }) => (method === 'PATCH' ? 'cut' : undefined);
    expect(await faultOf(push())).toMatchObject({ effect: 'unknown', kind: 'cut' });
    expect(calls().filter((call) => call.startsWith('PATCH'))).toHaveLength(1);
  });

  test('a change with an unreadable response is not reported as a failure', async () => {
    instead = ({ method }) => (method === 'POST' ? { status: 201, body: 'not json' } : undefined);
    const pull = act('create_pull_request', { title: 't', head: 'h', base: 'main' });
    expect(await faultOf(pull)).toMatchObject({ effect: 'unknown', kind: 'malformed' });
  });
});

test.each([
  [401, {}, 'unauthorized'],
  [403, {}, 'forbidden'],
  [403, { 'x-ratelimit-remaining': '0' }, 'throttled'],
  [404, {}, 'not_found'],
  [409, {}, 'conflict'],
  [422, {}, 'invalid'],
  [500, {}, 'unavailable'],
])('%d %p is reported as %s, with a hint', async (status, headers, kind) => {
  instead = () => ({ status, headers, body: { message: 'Reference already exists' } });
  const fault = await faultOf(act('create_pull_request', { title: 't', head: 'h', base: 'main' }));
  expect(fault).toMatchObject({ effect: 'none', kind, status, tool: 'scm.create_pull_request' });
  expect((fault as Error).message).toMatch(
    /^scm\.create_pull_request at 127\.0\.0\.1:\d+: it answered \d+, "Reference already exists"\. .+\.$/,
  );
});

test('a redirect for a moved repository is not followed', async () => {
  instead = () => ({ status: 301, headers: { location: 'https://elsewhere.test/repositories/1' } });
  const fault = await faultOf(act('get_repository'));
  expect((fault as Error).message).toContain('points to elsewhere.test');
});

describe('a token is sent only to the host that issued it', () => {
  const broker = (name: string, api_url: string) => ({
    name,
    type: 'scm_app',
    app_id: '1',
    private_key_env: 'APP_KEY',
    api_url,
  });
  const get = envelopeOf('git', 'scm.get_repository', 'acme/web', 'read');

  test('the token is not sent to any other host', async () => {
    const fault = await faultOf(executor({}, [broker('scm', 'https://other.test')]).execute(get, token));
    expect(fault).toMatchObject({ kind: 'refused' });
    expect(host.asked).toEqual([]);
  });

  test("the default host is the only broker's host", async () => {
    const brokers = [broker('scm', `${host.url}/`)];
    expect(await executor({ api_url: undefined }, brokers).execute(get, token)).toMatchObject({
      full_name: 'acme/web',
    });
    const two = [...brokers, broker('other', 'https://other.test')];
    expect(await faultOf(executor({ api_url: undefined }, two).execute(get, token))).toMatchObject({ kind: 'refused' });
  });
});
