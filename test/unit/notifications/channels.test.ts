/** The notifiers over real HTTP. */
import { slackNotifier } from '#adapters/http/slack-client.ts';
import { webhookNotifier } from '#adapters/http/webhook-sender.ts';
import { webhookSignature } from '#core/approvals/webhook-signature.ts';
import { fakeSlack } from '../../support/fake-slack.ts';
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

  test('posts, then rewrites the very message', async () => {
    const receipt = await slack().send('submitted', sampleRow(), undefined);
    expect(receipt).toEqual({ channel: 'C1', ts: '1.0' });
    await slack().send('approved', decided, receipt);
    expect(fake.calls.map(({ path, body }) => [path, body.channel, body.ts])).toEqual([
      ['/api/chat.postMessage', '#ops', undefined],
      ['/api/chat.update', 'C1', '1.0'],
    ]);
    expect(fake.calls[0]?.headers.authorization).toBe('Bearer xoxb-1');
    expect(JSON.stringify(fake.calls)).not.toContain('task-token-value');
  });

  test('a decision without an earlier message is posted anew', async () => {
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

describe('the webhook', () => {
  const hook = () =>
    webhookNotifier({ url: `${fake.url}/hook`, secret: 'shared', adminUrl: 'https://a.example', clock });

  test('[notify.webhook-signed] carries event, id, time and approval, signed over time and body', async () => {
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
    expect(text).not.toContain('key-id-1');
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
