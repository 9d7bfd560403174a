/** A thousand notifications over the real store to a Slack over HTTP: by the stream of the table, and by one tick of the schedule. */
import type { DynamoDBRecord } from 'aws-lambda';
import { deliveryFeed, observedDeliveries } from '#adapters/local/delivery-feed.ts';
import { recordOfDelivery } from '#adapters/tables/delivery-record.ts';
import { enqueueNotifications } from '#core/approvals/notifications/enqueue.ts';
import type { Delivery } from '#core/approvals/notifications/ports.ts';
import { createHandler as notify } from '#lambdas/notify/event.ts';
import { fakeSlack } from '../support/fake-slack.ts';
import type { TestPorts } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';
import { useStarted } from '../support/use-started.ts';
import { sampleRow } from '../unit/approvals/notifications/sample.ts';

/** Of one batch, and of one tick, at a time. */
const concurrency = 10;
const many = 1_000;

let ports: TestPorts['ports'];

const slack = useStarted(() => fakeSlack());
const gateway = useGateway(() => ({
  extra: `
approvals:
  channels:
    slack: { channel: C1, bot_token_env: SLACK_BOT_TOKEN, signing_secret_env: SLACK_SIGNING, api_url: "${slack.url}/api" }
`,
  secrets: { SLACK_BOT_TOKEN: 'bot-token-value', SLACK_SIGNING: 'signing-1' },
}));
beforeAll(() => {
  const find = async (envelope_id: string) => sampleRow({ envelope_id });
  ports = { ...gateway.ports, approvals: { ...gateway.ports.approvals, find } };
});
beforeEach(() => {
  slack.calls.length = 0;
  slack.gate.together = concurrency;
});
/** What a test left is sent, so that the next one finds nothing due. */
afterEach(async () => {
  slack.gate.together = 1;
  await notify(ports)();
});

async function enqueued(count: number, name: string): Promise<Delivery[]> {
  const taken: Delivery[] = [];
  const deliveries = observedDeliveries(ports.deliveries, (delivery) => taken.push(delivery));
  for (let i = 0; i < count; i += 50)
    await Promise.all(
      Array.from({ length: Math.min(50, count - i) }, (_, j) =>
        enqueueNotifications({ ...ports, deliveries }, ['slack'], 'submitted', {
          envelope_id: `${name}-${i + j}`,
          tenant: 'default',
        }),
      ),
    );
  return taken;
}

test('[notify.events] one tick sends a thousand, ten at a time', async () => {
  await enqueued(many, 'tick');
  expect(await notify(ports)()).toEqual({ delivered: many });
  expect(slack.calls).toHaveLength(many);
  expect(await notify(ports)()).toEqual({ delivered: 0 });
});

test('[notify.events] a batch of the stream is sent at once, without a tick; a batch that comes twice is sent once', async () => {
  const records = (await enqueued(100, 'stream')).map(recordOfDelivery);
  for (let i = 0; i < records.length; i += 10) {
    const Records = records.slice(i, i + 10);
    expect(await notify(ports)({ Records })).toEqual({ delivered: 10 });
    expect(await notify(ports)({ Records })).toEqual({ delivered: 0 });
  }
  expect(slack.calls).toHaveLength(100);
  expect(await notify(ports)()).toEqual({ delivered: 0 });
});

test('[notify.events] changes of a delivery and remembered callbacks are none', async () => {
  const [delivery] = await enqueued(1, 'other');
  const changed = { ...recordOfDelivery(delivery!), eventName: 'MODIFY' } as DynamoDBRecord;
  const seen: DynamoDBRecord = { eventName: 'INSERT', dynamodb: { NewImage: { id: { S: 'seen#slack#1' } } } };
  expect(await notify(ports)({ Records: [changed, seen] })).toEqual({ delivered: 0 });
  expect(slack.calls).toEqual([]);
});

test('[notify.events] the local run delivers enqueued entries in batches, and reports a batch that failed', async () => {
  const reports: unknown[] = [];
  const sizes: number[] = [];
  const handler = async ({ Records }: { readonly Records: readonly unknown[] }) => {
    sizes.push(Records.length);
    if (sizes.length === 1) throw new Error('broken');
  };
  const feed = deliveryFeed(handler, (fault) => reports.push(fault));
  for (const delivery of await enqueued(12, 'feed')) feed.enqueued(delivery);
  await feed.stop();
  expect(sizes).toEqual([10, 2]);
  expect(reports).toHaveLength(1);
});

test('[store.sweep] a record of the stream that cannot be read is logged, and the others of its batch are sent', async () => {
  const [first, second] = (await enqueued(2, 'readable')).map(recordOfDelivery);
  const lines: string[] = [];
  const telemetry = { ...ports.telemetry, log: (_: string, message: string) => void lines.push(message) };
  const image = { ...first!.dynamodb!.NewImage, attempts: {} as { S: string } };
  const unreadable: DynamoDBRecord = { eventName: 'INSERT', dynamodb: { NewImage: image } };
  slack.gate.together = 1;
  const Records = [first!, unreadable, second!];
  expect(await notify({ ...ports, telemetry })({ Records })).toEqual({ delivered: 2 });
  expect(lines).toContain('a queued notification cannot be read');
});
