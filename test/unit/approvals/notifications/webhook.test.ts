/** The webhook notifier over real HTTP. */
import { webhookNotifier } from '#adapters/http/webhook-sender.ts';
import { webhookSignature } from '#core/approvals/notifications/webhook-signature.ts';
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

const hook = () =>
  webhookNotifier({
    url: `${fake.url}/hook`,
    secret: 'shared',
    adminUrl: 'https://a.example',
    clock,
    policyEvents: [],
  });

test('[approval.card] the message names the location of the approval’s rule', async () => {
  await hook().send('submitted', sampleRow(), undefined, 'policies/pr-writer.yaml:31');
  expect(fake.calls[0]?.body.approval.rule).toMatchObject({
    place: 'policies/pr-writer.yaml:31',
    policy: 'pr-writer',
  });
});

test('[notify.retries] sends event, id, time and approval, with a signature over time and body', async () => {
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

test('the signature matches standard HMAC-SHA256', () => {
  expect(webhookSignature('key', '1', '{}')).toBe(
    'v1=1ba6b8171186efc613e8bcc0cbdab2748f24984d7c5a84faa2637afa0e40d224',
  );
});

test.each([
  ['seconds', '45', 45],
  ['a date', 'Thu, 01 Jan 2026 00:01:00 GMT', 60],
])('Retry-After in %s is honored', async (_, value, seconds) => {
  fake.faults.push({ status: 503, headers: { 'retry-after': value } });
  await expect(hook().send('submitted', sampleRow(), undefined)).rejects.toMatchObject({
    retryAfterSeconds: seconds,
  });
});

test.each([{}, { 'retry-after': 'soon' }, { 'retry-after': '0' }])(
  'an error response with headers %j is an ordinary failure',
  async (headers) => {
    fake.faults.push({ status: 500, headers });
    const failure: unknown = await hook()
      .send('submitted', sampleRow(), undefined)
      .catch((cause: unknown) => cause);
    expect(failure).toMatchObject({ name: 'Error', message: 'the webhook answered 500' });
  },
);
