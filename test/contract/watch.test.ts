/** Conditions that raise alarms: missing heartbeats, disabled guards, late or dropped messages. */
import { enqueueNotifications } from '#core/approvals/notifications/enqueue.ts';
import { createHandler as alerts } from '#lambdas/alerts/event.ts';
import { createHandler as archiveCheck } from '#lambdas/archive-check/event.ts';
import { createHandler as notify } from '#lambdas/notify/event.ts';
import { createHandler as sweep } from '#lambdas/sweep/event.ts';
import { caller } from '../support/call-endpoint.ts';
import { fakeSlack } from '../support/fake-slack.ts';
import { keptGateway } from '../support/kept-gateway.ts';
import { keys } from '../support/ports.ts';
import { useStarted } from '../support/use-started.ts';

const createPullRequest = {
  ...{ protocol: 'git', tool: 'scm.create_pull_request', target: 'acme/web', capability: 'write' },
  parameters: { title: 't', head: 'b', base: 'main' },
  actor: { agent: 'writer', session: 'watched' },
};

const slack = useStarted(() => fakeSlack(), 'test');
const gateway = useStarted(
  () =>
    keptGateway({
      secrets: { SLACK_BOT_TOKEN: 'bot-token-value', SLACK_SIGNING: 'signing-1' },
      extra: `
approvals:
  channels:
    slack: { channel: C1, bot_token_env: SLACK_BOT_TOKEN, signing_secret_env: SLACK_SIGNING, api_url: "${slack.url}/api" }
`,
    }),
  'test',
);

/** The value of a series of the registry; undefined where there is none. */
const series = (text: string): string | undefined =>
  gateway
    .ports()
    .metricsText?.()
    .split('\n')
    .find((line) => line.startsWith(`${text} `))
    ?.split(' ')[1];
const completed = (schedule: string) => series(`svc_schedule_completed_total{schedule="${schedule}"}`);

test('[watch.alarms] each schedule counts a run that did its work', async () => {
  await sweep(gateway.ports())();
  await notify(gateway.ports())();
  await archiveCheck(gateway.ports())();
  for (const schedule of ['sweep', 'notify', 'archive-check'])
    expect([schedule, completed(schedule)]).toEqual([schedule, '1']);
});

test('[watch.alarms] before a configuration is stored a run counts as completed, and a store that does not answer fails it', async () => {
  const unavailable = () => Promise.reject(new Error('none'));
  const ports = { ...gateway.ports(), snapshots: { ...gateway.ports().snapshots, current: unavailable } };
  const holding = (inForce: () => Promise<undefined>) => ({ ...ports, configStore: { ...ports.configStore, inForce } });
  const empty = holding(() => Promise.resolve(undefined));
  await sweep(empty)();
  expect(await alerts(empty)()).toEqual({ changed: 0 });
  expect(['sweep', 'alerts'].map(completed)).toEqual(['1', '1']);
  for (const broken of [ports, holding(unavailable)]) {
    await expect(sweep(broken)()).rejects.toThrow();
    await expect(alerts(broken)()).rejects.toThrow();
  }
  expect(['sweep', 'alerts'].map(completed)).toEqual(['1', '1']);
});

test('[watch.alarms] a run that failed counts none, and neither do messages that the stream brings', async () => {
  const broken = {
    ...gateway.ports(),
    approvals: { ...gateway.ports().approvals, waiting: () => Promise.reject(new Error('the table does not answer')) },
  };
  await expect(sweep(broken)()).rejects.toThrow();
  await notify(gateway.ports())({ Records: [] });
  for (const schedule of ['sweep', 'notify']) expect(completed(schedule)).toBeUndefined();
});

test('[watch.alarms] the sweep reports how many guards are disabled', async () => {
  await sweep(gateway.ports())();
  expect(series('svc_guards_disabled')).toBe('0');
  const { current } = gateway.ports().snapshots;
  const snapshot = await current();
  const tool_policies = { ...snapshot.configuration.tool_policies, disable_guards: ['secret-files', 'keys', 'keys'] };
  const configuration = { ...snapshot.configuration, tool_policies };
  const snapshots = { ...gateway.ports().snapshots, current: async () => ({ ...snapshot, configuration }) };
  await sweep({ ...gateway.ports(), snapshots })();
  expect(series('svc_guards_disabled')).toBe('2');
});

test('[watch.alarms] a first message is timed from the request on, a decision is not', async () => {
  const ask = caller(gateway.ports());
  const { body } = await ask('POST', '/admin/v1/test-action', { key: keys.agent, body: createPullRequest });
  await enqueueNotifications(gateway.ports(), ['slack'], 'submitted', {
    envelope_id: body.envelope_id,
    tenant: 'default',
  });
  gateway.pass(7);
  await notify(gateway.ports())();
  expect([series('svc_delivery_delay_seconds_count'), series('svc_delivery_delay_seconds_sum')]).toEqual(['1', '7']);
  await enqueueNotifications(gateway.ports(), ['slack'], 'approved', {
    envelope_id: body.envelope_id,
    tenant: 'default',
  });
  await notify(gateway.ports())();
  expect(series('svc_delivery_delay_seconds_count')).toBe('1');
  expect(series('svc_deliveries_dead_total')).toBeUndefined();
});

test('[watch.alarms] a message that is given up is counted once', async () => {
  await enqueueNotifications(gateway.ports(), ['slack'], 'submitted', {
    envelope_id: 'no-such-approval',
    tenant: 'default',
  });
  for (let attempt = 0; attempt < 10; attempt++) {
    await notify(gateway.ports())();
    gateway.pass(700);
  }
  expect(series('svc_deliveries_dead_total')).toBe('1');
});

test('[cloud.access-logs] the line of an action names tenant and key id, and no key', async () => {
  const ask = caller(gateway.ports());
  await ask('POST', '/admin/v1/test-action', { key: keys.agent, body: createPullRequest });
  const line = gateway.lines.map((text) => JSON.parse(text)).find(({ msg }) => msg === 'action evaluated');
  expect(line).toMatchObject({
    tenant: 'default',
    key_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    decision: 'review',
  });
  expect(JSON.stringify(line)).not.toContain(keys.agent);
});
