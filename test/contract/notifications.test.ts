/** Notifications: deliveries in the store, Slack, and the policy webhook. */

import { createHmac } from 'node:crypto';
import type { DynamoDBRecord } from 'aws-lambda';
import { deliveryFeed, observedDeliveries } from '#adapters/local/delivery-feed.ts';
import { deliveriesTable } from '#adapters/tables/deliveries-table.ts';
import { recordOfDelivery } from '#adapters/tables/delivery-record.ts';
import { enqueueNotifications } from '#core/approvals/notifications/enqueue.ts';
import { announceViolations, takesPolicyEvents } from '#core/approvals/notifications/policy-events.ts';
import type { Delivery } from '#core/approvals/notifications/ports.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { createHandler as notify } from '#lambdas/notify/event.ts';
import { createHandler as projector } from '#lambdas/project/event.ts';
import { caller } from '../support/call-endpoint.ts';
import { evidenceOf } from '../support/evidence-of.ts';
import { fakeSlack } from '../support/fake-slack.ts';
import { loopback } from '../support/loopback.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';
import { downStore, testStore } from '../support/store.ts';
import { useGateway } from '../support/use-gateway.ts';
import { useStarted } from '../support/use-started.ts';
import { sampleRow } from '../unit/approvals/notifications/sample.ts';

/**
 * A thousand notifications over the real store to a Slack server over HTTP: through the table's stream, and by one tick
 * of the schedule.
 */
describe('a thousand notifications', () => {
  /** Maximum number of concurrent deliveries per batch or tick. */
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
  /** Sends the notifications left over from a test, so that the next test finds none due. */
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

  test('[notify.events] one tick sends a thousand notifications, ten at a time', async () => {
    await enqueued(many, 'tick');
    expect(await notify(ports)()).toEqual({ delivered: many });
    expect(slack.calls).toHaveLength(many);
    expect(await notify(ports)()).toEqual({ delivered: 0 });
  });

  test('[notify.events] a batch from the stream is sent immediately, without a tick; a batch delivered twice is sent once', async () => {
    const records = (await enqueued(100, 'stream')).map(recordOfDelivery);
    for (let i = 0; i < records.length; i += 10) {
      const Records = records.slice(i, i + 10);
      expect(await notify(ports)({ Records })).toEqual({ delivered: 10 });
      expect(await notify(ports)({ Records })).toEqual({ delivered: 0 });
    }
    expect(slack.calls).toHaveLength(100);
    expect(await notify(ports)()).toEqual({ delivered: 0 });
  });

  test('[notify.events] changes to a delivery and stored callbacks are not sent as notifications', async () => {
    const [delivery] = await enqueued(1, 'other');
    const changed = { ...recordOfDelivery(delivery!), eventName: 'MODIFY' } as DynamoDBRecord;
    const seen: DynamoDBRecord = { eventName: 'INSERT', dynamodb: { NewImage: { id: { S: 'seen#slack#1' } } } };
    expect(await notify(ports)({ Records: [changed, seen] })).toEqual({ delivered: 0 });
    expect(slack.calls).toEqual([]);
  });

  test('[notify.events] the local run delivers enqueued entries in batches and reports a batch that failed', async () => {
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

  test('[store.sweep] an unreadable stream record is logged, and the rest of its batch is sent', async () => {
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
});

/** Delivery of blocks and warnings to the webhook, over real HTTP and the embedded store. */
describe('the policy webhook', () => {
  let gateway: TestPorts;
  let said: { status: number; body?: unknown; headers?: Record<string, string> };

  const hook = useStarted(() => {
    said = { status: 204 };
    return loopback(() => said);
  }, 'test');
  afterEach(async () => {
    await gateway.stop();
  });

  async function start(webhook = '') {
    gateway = await testPorts({
      extra: `
providers: [{ name: mock, type: mock, models: ["mock"] }]
policies:
  input:
    - { name: no, type: keyword, action: block, keywords: ["forbidden phrase"] }
    - { name: mails, type: pii, action: warn, entities: [email] }
approvals: { channels: { webhook: { url: "${hook.url}/hook", secret_env: HOOK_SECRET${webhook} } } }
`,
      secrets: { HOOK_SECRET: 'hook' },
    });
  }

  const ask = (text: string) =>
    caller(gateway.ports)('POST', '/v1/chat/completions', {
      key: keys.agent,
      headers: { 'x-session-id': 'watched' },
      body: { model: 'mock', messages: [{ role: 'user', content: text }] },
    });
  const act = (tool: string) =>
    caller(gateway.ports)('POST', '/admin/v1/test-action', {
      key: keys.agent,
      body: { protocol: 'git', tool, target: 'acme/web', capability: 'delete', actor: { session: 'watched' } },
    });
  const project = async () => {
    const entries = await evidenceOf(gateway.ports, 'watched');
    const { ports } = gateway;
    const wanted = async () => takesPolicyEvents(await ports.snapshots.current());
    const handler = projector({
      ...ports,
      archive: { keep: async () => {} },
      cover: undefined,
      views: undefined,
      announce: (entries) => announceViolations({ ...ports, wanted }, entries.map(projectEntry)),
    });
    const Records = entries.map((entry) => ({
      eventName: 'INSERT' as const,
      dynamodb: { SequenceNumber: entry.hash, NewImage: { entry: { S: canonicalize(entry) } } },
    }));
    expect(await handler({ Records })).toEqual({ batchItemFailures: [] });
    return entries;
  };
  const deliver = () => notify(gateway.ports)();
  const messages = () => hook.calls.map(({ body }) => JSON.parse(body)).sort((a, b) => a.event.localeCompare(b.event));

  test('[webhook.policy-events] a blocked prompt, a blocked action and a warning are sent signed and without their content', async () => {
    await start();
    expect((await ask('say the forbidden phrase')).status).toBe(403);
    expect((await ask('write to ann@example.com')).status).toBe(200);
    expect((await act('scm.delete_repository')).body.decision).toBe('block');
    expect(hook.calls).toEqual([]);
    const entries = await project();
    await deliver();
    const [first, second, warning] = messages();
    expect(
      [first, second].map(({ event, violation }) => [event, violation.matched_rule ?? violation.policy]).sort(),
    ).toEqual([
      ['policy_violation', expect.stringMatching(/^content:no$|^git:/)],
      ['policy_violation', expect.stringMatching(/^guard:|^git:|^content:no$/)],
    ]);
    expect(warning).toMatchObject({
      event: 'policy_warning',
      tenant: 'default',
      violation: { action: 'warn', count: 1, detail: 'email' },
    });
    const hashes = entries.map(({ hash }) => hash);
    for (const { evidence_hash, id, sent_at } of messages()) {
      expect(hashes).toContain(evidence_hash);
      expect([id, sent_at]).toEqual([expect.stringMatching(/^[0-9a-f]{64}#policy_/), expect.any(String)]);
    }
    expect(JSON.stringify(messages())).not.toMatch(/ann@example|say the/);
    const [{ headers, body }] = hook.calls as [(typeof hook.calls)[number]];
    const expected = createHmac('sha256', 'hook').update(`${headers['x-gateway-timestamp']}.${body}`).digest('hex');
    expect(headers['x-gateway-signature']).toBe(`v1=${expected}`);
  });

  test('[webhook.policy-events] projecting an event a second time sends no second message, and repeats of a rule within a minute are one message', async () => {
    await start();
    for (let n = 0; n < 5; n++) await ask(`the forbidden phrase, ${n}`);
    for (let n = 0; n < 2; n++) {
      await project();
      await deliver();
    }
    expect(hook.calls).toHaveLength(1);
    gateway.pass(60);
    await ask('the forbidden phrase again');
    await project();
    await deliver();
    expect(hook.calls).toHaveLength(2);
  });

  test('[webhook.policy-events] a delivery to a webhook that responds with errors is retried and eventually given up', async () => {
    await start();
    await ask('the forbidden phrase');
    await project();
    said = { status: 302, headers: { location: `${hook.url}/elsewhere` } };
    for (let n = 0; n < 9; n++) {
      await deliver();
      gateway.pass(700);
    }
    expect(hook.calls.every(({ path }) => path === '/hook')).toBe(true);
    expect(hook.calls).toHaveLength(8);
    const { failing } = (await caller(gateway.ports)('GET', '/admin/v1/health/detailed', { key: keys.human })).body
      .deliveries;
    expect(failing).toMatchObject([{ channel: 'webhook', event: 'policy_violation', state: 'dead', attempts: 8 }]);
  });

  test.each([
    ['warnings alone', ', policy_events: [policy_warning]', ['policy_warning']],
    ['none', ', policy_events: []', []],
    ['a channel that is off', ', enabled: false', []],
  ])('[webhook.policy-events] %s', async (_, webhook, events) => {
    await start(webhook);
    await ask('the forbidden phrase');
    await ask('write to ann@example.com');
    await project();
    await deliver();
    expect(messages().map(({ event }) => event)).toEqual(events);
  });
});

/** The delivery store backed by an in-memory store. */
describe('deliveries in the store', () => {
  const freshStore = async () => deliveriesTable({ store: testStore() });

  const delivery = (n: number, over: Partial<Delivery> = {}): Delivery => ({
    id: `e${n}#submitted#slack`,
    channel: 'slack',
    event: 'submitted',
    envelope_id: `e${n}`,
    tenant: 'default',
    attempts: 0,
    due_at: `2026-01-01T00:00:0${n}.000Z`,
    state: 'due',
    ...over,
  });

  describe('the delivery store', () => {
    test('stores enqueued notifications, and keeps the first of two with the same id', async () => {
      const store = await freshStore();
      await store.enqueue(delivery(1));
      await store.enqueue(delivery(1, { tenant: 'other' }));
      expect(await store.get(delivery(1).id)).toEqual(delivery(1));
      expect(await store.get('nothing')).toBeUndefined();
    });

    test('returns due notifications, oldest first, up to the current time and the limit', async () => {
      const store = await freshStore();
      for (const n of [3, 1, 2, 4]) await store.enqueue(delivery(n));
      const ids = async (now: string, limit: number) =>
        (await store.due(now, limit)).map(({ envelope_id }) => envelope_id);
      expect(await ids('2026-01-01T00:00:03.000Z', 10)).toEqual(['e1', 'e2', 'e3']);
      expect(await ids('2026-01-01T00:00:09.000Z', 2)).toEqual(['e1', 'e2']);
      expect(await ids('2025-12-31T00:00:00.000Z', 10)).toEqual([]);
    });

    test('[cli.status] dead notifications are listed for their tenant, newest first; sent ones are not', async () => {
      const store = await freshStore();
      const states = [
        [1, 'dead', 'default'],
        [2, 'sent', 'default'],
        [3, 'dead', 'default'],
        [4, 'dead', 'other'],
      ] as const;
      for (const [n, state, tenant] of states) {
        await store.enqueue(delivery(n, { tenant }));
        await store.update(delivery(n, { tenant }), delivery(n, { tenant, state, attempts: 8, last_error: 'x' }));
      }
      const ids = async (tenant: string, limit: number) =>
        (await store.dead(tenant, limit)).map(({ envelope_id }) => envelope_id);
      expect(await ids('default', 10)).toEqual(['e3', 'e1']);
      expect(await ids('default', 1)).toEqual(['e3']);
      expect(await ids('other', 10)).toEqual(['e4']);
      expect(await ids('nobody', 10)).toEqual([]);
    });

    test('sent and dead notifications are no longer due', async () => {
      const store = await freshStore();
      for (const [n, state] of [
        [1, 'sent'],
        [2, 'dead'],
      ] as const) {
        await store.enqueue(delivery(n));
        const after = delivery(n, { state, attempts: 1, receipt: { ts: '1.0' }, last_error: 'x' });
        expect(await store.update(delivery(n), after)).toBe(true);
        expect(await store.get(after.id)).toEqual(after);
      }
      expect(await store.due('2027-01-01T00:00:00.000Z', 10)).toEqual([]);
    });

    test('only one of twenty concurrent updates to a delivery succeeds', async () => {
      const store = await freshStore();
      await store.enqueue(delivery(1));
      const moves = Array.from({ length: 20 }, (_, i) =>
        store.update(delivery(1), delivery(1, { attempts: 1, due_at: `2026-01-01T00:01:${10 + i}.000Z` })),
      );
      expect((await Promise.all(moves)).filter(Boolean)).toHaveLength(1);
    });

    test('updating a missing notification changes nothing', async () => {
      const store = await freshStore();
      expect(await store.update(delivery(1), delivery(1, { state: 'sent' }))).toBe(false);
      expect(await store.get(delivery(1).id)).toBeUndefined();
    });

    test('[slack.confirmed] a callback id counts as new only once, even if twenty callbacks arrive at the same time', async () => {
      const store = await freshStore();
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () => store.seen('trigger#1', '2026-01-01T00:15:00.000Z')),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect(await store.seen('trigger#2', '2026-01-01T00:15:00.000Z')).toBe(true);
      expect(await store.due('2027-01-01T00:00:00.000Z', 10)).toEqual([]);
    });

    test('if the store is down, its methods return an error', async () => {
      const store = deliveriesTable({ store: downStore() });
      await expect(store.enqueue(delivery(1))).rejects.toMatchObject({ code: 'service_unavailable' });
      await expect(store.seen('x', '2026-01-01T00:15:00.000Z')).rejects.toMatchObject({ code: 'service_unavailable' });
    });
  });
});
