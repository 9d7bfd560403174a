/** The Slack notifier over real HTTP. */
import { serviceJson } from '#adapters/http/service-json.ts';
import { fakeSlack } from '../../../test/support/fake-slack.ts';
import { sampleRow } from '../../../test/unit/approvals/notifications/sample.ts';
import { slackNotifier } from '../client.ts';

let fake: Awaited<ReturnType<typeof fakeSlack>>;
beforeAll(async () => {
  fake = await fakeSlack();
});
afterAll(() => fake.stop());
beforeEach(() => {
  fake.calls.length = 0;
  fake.faults.length = 0;
});

const decided = sampleRow({ status: 'approved', person: 'alice', decided_at: '2026-01-01T00:01:00.000Z' });

const slack = () =>
  slackNotifier(serviceJson, {
    apiUrl: `${fake.url}/api`,
    channel: '#ops',
    token: 'xoxb-1',
    linkBase: 'https://gateway.example',
  });

test('[approval.card] names the rule’s file and line, escaped, in both the question and its rewritten form', async () => {
  const receipt = await slack().send('submitted', sampleRow(), undefined, 'config/<!channel>`a&b.yaml:14');
  await slack().send('approved', decided, receipt, 'policies/pr-writer.yaml:31');
  await slack().send('submitted', sampleRow(), undefined);
  const [asked, rewritten, placeless] = fake.calls.map(({ body }) => body.blocks[1].text.text as string);
  expect(asked).toContain('version 1)`\nRule at: `config/&lt;!channel&gt;\\u{60}a&amp;b.yaml:14`\nReason: `');
  expect(rewritten).toContain('\nRule at: `policies/pr-writer.yaml:31`\n');
  expect(placeless).not.toContain('Rule at');
});

test('a decision without an earlier message is posted as a new message', async () => {
  await slack().send('denied', sampleRow({ status: 'denied', person: 'bob' }), undefined);
  expect(fake.calls[0]?.path).toBe('/api/chat.postMessage');
});

test('ok: false is a failure, even with status 200', async () => {
  fake.faults.push({ status: 200, body: { ok: false, error: 'channel_not_found' } });
  await expect(slack().send('submitted', sampleRow(), undefined)).rejects.toThrow('200 channel_not_found');
});

test('a 429 response states how long to wait', async () => {
  fake.faults.push({ status: 429, headers: { 'retry-after': '30' }, body: { ok: false, error: 'ratelimited' } });
  await expect(slack().send('submitted', sampleRow(), undefined)).rejects.toMatchObject({ retryAfterSeconds: 30 });
});

test('a redirect is not followed, so the bot token is not leaked', async () => {
  fake.faults.push({ status: 307, headers: { location: `${fake.url}/elsewhere` } });
  await expect(slack().send('submitted', sampleRow(), undefined)).rejects.toThrow();
  expect(fake.calls).toHaveLength(1);
});
