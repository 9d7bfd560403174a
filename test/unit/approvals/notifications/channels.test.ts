/** The notifiers over real HTTP. */
import { pullRequestHost, pullRequestNotifier } from '#adapters/http/pull-request-host.ts';
import { slackNotifier } from '#adapters/http/slack-client.ts';
import { webhookNotifier } from '#adapters/http/webhook-sender.ts';
import { webhookSignature } from '#core/approvals/notifications/webhook-signature.ts';
import { fakePullRequests, headSha, pushedSha } from '../../../support/fake-pull-requests.ts';
import { fakeSlack } from '../../../support/fake-slack.ts';
import { approvalId, sampleRow } from './sample.ts';

let fake: Awaited<ReturnType<typeof fakeSlack>>;
beforeAll(async () => {
  fake = await fakeSlack();
});
afterAll(() => fake.stop());
beforeEach(() => {
  fake.calls.length = 0;
  fake.faults.length = 0;
});

const clock = { now: () => Date.UTC(2026, 0, 1) };
const decided = sampleRow({ status: 'approved', person: 'alice', decided_at: '2026-01-01T00:01:00.000Z' });

describe('Slack', () => {
  const slack = () =>
    slackNotifier({ apiUrl: `${fake.url}/api`, channel: '#ops', token: 'xoxb-1', linkBase: 'https://gateway.example' });

  test('[approval.card] names file and line of the rule, escaped, in the question and in what it becomes', async () => {
    const receipt = await slack().send('submitted', sampleRow(), undefined, 'config/<!channel>`a&b.yaml:14');
    await slack().send('approved', decided, receipt, 'policies/pr-writer.yaml:31');
    await slack().send('submitted', sampleRow(), undefined);
    const [asked, rewritten, placeless] = fake.calls.map(({ body }) => body.blocks[1].text.text as string);
    expect(asked).toContain('version 1)`\nRule at: `config/&lt;!channel&gt;\\u{60}a&amp;b.yaml:14`\nReason: `');
    expect(rewritten).toContain('\nRule at: `policies/pr-writer.yaml:31`\n');
    expect(placeless).not.toContain('Rule at');
  });

  test('a decision without an earlier message is posted again', async () => {
    await slack().send('denied', sampleRow({ status: 'denied', person: 'bob' }), undefined);
    expect(fake.calls[0]?.path).toBe('/api/chat.postMessage');
  });

  test('ok: false is a failure, although the status is 200', async () => {
    fake.faults.push({ status: 200, body: { ok: false, error: 'channel_not_found' } });
    await expect(slack().send('submitted', sampleRow(), undefined)).rejects.toThrow('200 channel_not_found');
  });

  test('429 says how long to wait', async () => {
    fake.faults.push({ status: 429, headers: { 'retry-after': '30' }, body: { ok: false, error: 'ratelimited' } });
    await expect(slack().send('submitted', sampleRow(), undefined)).rejects.toMatchObject({ retryAfterSeconds: 30 });
  });

  test('a redirect is not followed: the bot token stays here', async () => {
    fake.faults.push({ status: 307, headers: { location: `${fake.url}/elsewhere` } });
    await expect(slack().send('submitted', sampleRow(), undefined)).rejects.toThrow();
    expect(fake.calls).toHaveLength(1);
  });
});

describe('pull requests', () => {
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
  const api = (over = {}) => pullRequestHost({ apiUrl: host.url, token, timeoutMs: 60_000, ...over });
  const notifier = (channel: object = { repositories: ['acme/*'] }) =>
    pullRequestNotifier({ host: api(), channel: channel as never, linkBase: 'https://gateway.example' });
  const about = { tool: 'scm.update_pull_request', parameters: { number: 7 } };
  const at = { repository: 'acme/web', number: 7 };

  test('[approval.card] names file and line of the rule inside the block, in the question and in what it becomes', async () => {
    const receipt = await notifier().send('submitted', sampleRow(about), undefined, 'config/```@all`.yaml:14');
    expect(host.comments[0]?.body).toMatch(/\n````\nTool .*\nRule at {4}config\/```@all`\.yaml:14\nReason .*\n````\n/s);
    await notifier().send('approved', { ...decided, ...about }, receipt, 'policies/pr-writer.yaml:31');
    expect(host.comments[0]?.body).toContain('\nRule at    policies/pr-writer.yaml:31\n');
    await notifier().send('submitted', sampleRow(about), undefined);
    expect(host.comments[1]?.body).not.toContain('Rule at');
  });

  test('a decision without an earlier question gets a comment of its own', async () => {
    await notifier().send('denied', sampleRow({ ...about, status: 'denied', person: 'bob' }), undefined);
    expect(host.comments[0]?.body).toContain('**Denied by ` bob `**');
  });

  test('a place that was taken out of the configuration is a failure that says so', async () => {
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

  test('calls that are used up come back when the host says, if it says a time', async () => {
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
  ])('%s is a fault', async (_, status, body, kind) => {
    host.faults.push({ status, body, headers: { location: `${host.url}/elsewhere` } });
    await expect(api().head(at)).rejects.toMatchObject({ name: 'ServiceFault', kind });
    expect(host.calls).toHaveLength(1);
  });

  test('a pull request may be as long as the host lets it', async () => {
    host.faults.push({ status: 200, body: { head: { sha: pushedSha }, body: 'x'.repeat(600_000) } });
    expect(await api().head(at)).toBe(pushedSha);
  });

  test('a login the host does not know there has no permission', async () => {
    expect(await api().permission('acme/web', 'no/../body')).toBe('none');
    expect(host.calls[0]?.path).toBe('/repos/acme/web/collaborators/no%2F..%2Fbody/permission');
  });

  test('a comment is read as it stands, and one that is gone is not a fault', async () => {
    const id = await api().comment(at, 'hello');
    expect(await api({ apiUrl: `${host.url}/` }).textOf('acme/web', id)).toBe('hello');
    expect(await api().textOf('acme/web', '1')).toBeUndefined();
  });

  test('a host that never answers is a fault in time', async () => {
    host.faults.push('hang');
    await expect(api({ timeoutMs: 50 }).head(at)).rejects.toMatchObject({ kind: 'timeout' });
  });
});

describe('the webhook', () => {
  const hook = () =>
    webhookNotifier({
      url: `${fake.url}/hook`,
      secret: 'shared',
      adminUrl: 'https://a.example',
      clock,
      policyEvents: [],
    });

  test('[approval.card] the approval says where its rule stands', async () => {
    await hook().send('submitted', sampleRow(), undefined, 'policies/pr-writer.yaml:31');
    expect(fake.calls[0]?.body.approval.rule).toMatchObject({
      place: 'policies/pr-writer.yaml:31',
      policy: 'pr-writer',
    });
  });

  test('[notify.retries] carries event, id, time and approval, signed over time and body', async () => {
    await hook().send('approved', decided, undefined);
    const [sent] = fake.calls;
    expect(sent?.body).toMatchObject({
      event: 'approved',
      id: `${approvalId}#approved`,
      sent_at: '2026-01-01T00:00:00.000Z',
      approval: { envelope_id: approvalId, status: 'approved', person: 'alice', tool: 'scm.create_pull_request' },
    });
    const text = JSON.stringify(sent?.body);
    expect(text).not.toContain('task-token-value');
    expect(sent?.body).toMatchObject({ approval: { key: { name: 'ci-writer', owner: 'bob' } } });
    const timestamp = String(clock.now() / 1000);
    expect(sent?.headers['x-gateway-timestamp']).toBe(timestamp);
    expect(sent?.headers['x-gateway-signature']).toBe(webhookSignature('shared', timestamp, text));
  });

  test('the signature is what any HMAC-SHA256 gives', () => {
    expect(webhookSignature('key', '1', '{}')).toBe(
      'v1=1ba6b8171186efc613e8bcc0cbdab2748f24984d7c5a84faa2637afa0e40d224',
    );
  });

  test.each([
    ['seconds', '45', 45],
    ['a date', 'Thu, 01 Jan 2026 00:01:00 GMT', 60],
  ])('Retry-After in %s is honoured', async (_, value, seconds) => {
    fake.faults.push({ status: 503, headers: { 'retry-after': value } });
    await expect(hook().send('submitted', sampleRow(), undefined)).rejects.toMatchObject({
      retryAfterSeconds: seconds,
    });
  });

  test.each([{}, { 'retry-after': 'soon' }, { 'retry-after': '0' }])(
    'an error with %j is an ordinary failure',
    async (headers) => {
      fake.faults.push({ status: 500, headers });
      const failure: unknown = await hook()
        .send('submitted', sampleRow(), undefined)
        .catch((cause: unknown) => cause);
      expect(failure).toMatchObject({ name: 'Error', message: 'the webhook answered 500' });
    },
  );
});
