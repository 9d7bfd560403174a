/** Questions on pull requests, and calls to a Git host over real HTTP. */
import { serviceJson } from '#adapters/http/service-json.ts';
import { fakePullRequests, headSha, pushedSha } from '../../../test/support/fake-pull-requests.ts';
import { sampleRow } from '../../../test/unit/approvals/notifications/sample.ts';
import { pullRequestHost } from '../host.ts';
import { pullRequestNotifier } from '../notifier.ts';

const decided = sampleRow({ status: 'approved', person: 'alice', decided_at: '2026-01-01T00:01:00.000Z' });

const token = 'ghp-1';
let host: Awaited<ReturnType<typeof fakePullRequests>>;
beforeAll(async () => {
  host = await fakePullRequests(token);
  host.heads.set('acme/web#7', headSha);
});
afterAll(() => host.stop());
beforeEach(() => {
  for (const list of [host.calls, host.faults, host.comments]) list.length = 0;
});
const api = (over = {}) => pullRequestHost(serviceJson, { apiUrl: host.url, token, timeoutMs: 60_000, ...over });
const notifier = (channel: object = { repositories: ['acme/*'] }) =>
  pullRequestNotifier({ host: api(), channel: channel as never, linkBase: 'https://gateway.example' });
const about = { tool: 'scm.update_pull_request', parameters: { number: 7 } };
const at = { repository: 'acme/web', number: 7 };

test('[approval.card] names the rule’s file and line inside the block, in both the question and its rewritten form', async () => {
  const receipt = await notifier().send('submitted', sampleRow(about), undefined, 'config/```@all`.yaml:14');
  expect(host.comments[0]?.body).toMatch(/\n````\nTool .*\nRule at {4}config\/```@all`\.yaml:14\nReason .*\n````\n/s);
  await notifier().send('approved', { ...decided, ...about }, receipt, 'policies/pr-writer.yaml:31');
  expect(host.comments[0]?.body).toContain('\nRule at    policies/pr-writer.yaml:31\n');
  await notifier().send('submitted', sampleRow(about), undefined);
  expect(host.comments[1]?.body).not.toContain('Rule at');
});

test('a decision without an earlier question is posted as its own comment', async () => {
  await notifier().send('denied', sampleRow({ ...about, status: 'denied', person: 'bob' }), undefined);
  expect(host.comments[0]?.body).toContain('**Denied by ` bob `**');
});

test('a destination that was removed from the configuration is reported as a failure that names the cause', async () => {
  await expect(notifier({ repositories: [] }).send('submitted', sampleRow(about), undefined)).rejects.toThrow(
    'no pull request is configured',
  );
  expect(host.calls).toEqual([]);
});

test.each([
  ['Retry-After', { status: 403, headers: { 'retry-after': '30' } }, 30],
  ['too many calls', { status: 429, headers: { 'retry-after': '60' } }, 60],
])('%s says how long to wait', async (_, fault, retryAfterSeconds) => {
  host.faults.push(fault);
  await expect(notifier().send('submitted', sampleRow(about), undefined)).rejects.toMatchObject({
    name: 'DeliveryRefused',
    retryAfterSeconds,
  });
});

test('an exhausted rate limit is retried at the time the host gives, if any', async () => {
  const reset = String(Math.ceil(Date.now() / 1000) + 1200);
  host.faults.push({ status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } });
  await expect(notifier().send('submitted', sampleRow(about), undefined)).rejects.toMatchObject({
    name: 'DeliveryRefused',
    retryAfterSeconds: expect.any(Number),
  });
  host.faults.push({ status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'soon' } });
  await expect(notifier().send('submitted', sampleRow(about), undefined)).rejects.toMatchObject({
    name: 'ServiceFault',
    kind: 'throttled',
  });
});

test.each([
  ['no permission', 403, undefined, 'forbidden'],
  ['a head that is no commit', 200, { head: { sha: 'main' } }, 'malformed'],
  ['no head', 200, {}, 'malformed'],
  ['no JSON', 200, 'moved', 'malformed'],
  ['a redirect, which is not followed: the token stays here', 301, undefined, 'malformed'],
  ['an answer without end', 200, { body: 'x'.repeat(2 * 1024 * 1024) }, 'malformed'],
])('%s is reported as a fault', async (_, status, body, kind) => {
  host.faults.push({ status, body, headers: { location: `${host.url}/elsewhere` } });
  await expect(api().head(at)).rejects.toMatchObject({ name: 'ServiceFault', kind });
  expect(host.calls).toHaveLength(1);
});

test('a pull request’s description may be as long as the host allows', async () => {
  host.faults.push({ status: 200, body: { head: { sha: pushedSha }, body: 'x'.repeat(600_000) } });
  expect(await api().head(at)).toBe(pushedSha);
});

test('a login unknown to the host has no permission there', async () => {
  expect(await api().permission('acme/web', 'no/../body')).toBe('none');
  expect(host.calls[0]?.path).toBe('/repos/acme/web/collaborators/no%2F..%2Fbody/permission');
});

test('a comment’s text is read unchanged, and a deleted comment is not a fault', async () => {
  const id = await api().comment(at, 'hello');
  expect(await api({ apiUrl: `${host.url}/` }).textOf('acme/web', id)).toBe('hello');
  expect(await api().textOf('acme/web', '1')).toBeUndefined();
});

test('a host that never responds results in a fault after a timeout', async () => {
  host.faults.push('hang');
  await expect(api({ timeoutMs: 50 }).head(at)).rejects.toMatchObject({ kind: 'timeout' });
});
