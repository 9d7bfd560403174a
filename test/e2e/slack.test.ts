/** Slack and a webhook beside a real local run: what goes out, and a vote that comes back by button. */
import { fakeSlack } from '../support/fake-slack.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { slackClick } from './channels.ts';
import { ask, configurationWith, decided, exportOf, pullRequest, until, vote } from './client.ts';

let slack: Awaited<ReturnType<typeof fakeSlack>>;
let hook: Awaited<ReturnType<typeof fakeSlack>>;
let gateway: Gateway;
let url: string;

beforeAll(async () => {
  slack = await fakeSlack();
  hook = await fakeSlack();
  const channels = `approvals:
  channels:
    slack: { channel: C1, bot_token_env: SLACK_BOT_TOKEN, signing_secret_env: SLACK_SIGNING_SECRET, api_url: "${slack.url}/api" }
    webhook: { url: "${hook.url}/hook", secret_env: HOOK_SECRET }
`;
  gateway = await startGateway({
    config: configurationWith((yaml) => yaml + channels),
    env: { SLACK_BOT_TOKEN: 'bot-token-value', SLACK_SIGNING_SECRET: 'signing-secret', HOOK_SECRET: 'hook-secret' },
  });
  url = gateway.ready.admin_url;
});
afterAll(async () => {
  await gateway?.stop();
  await slack?.stop();
  await hook?.stop();
});

const click = (id: string, user: string, trigger: string, secret?: string) =>
  slackClick(url, slack.url, { id, user, trigger, ...(secret !== undefined && { secret }) });

/** The outcome, at the address that Slack gave for it. */
const told = (text: RegExp) =>
  until('the outcome', async () => slack.calls.find(({ path, body }) => path === '/response' && text.test(body.text)));

const statusOf = async (id: string) =>
  (await ask(url, 'GET', `/admin/v1/approvals/${id}`, { key: 'e2e-bob' })).body.status;

test('[notify.events] [notify.slack-buttons] [slack.vote] [slack.comment] [approval.card-place] a request is posted, decided by button, and the message rewritten', async () => {
  const { envelope_id } = await decided(url, 'e2e-agent', pullRequest('slack-vote'));
  const posted = await until('the message', async () =>
    slack.calls.find(({ path }) => path === '/api/chat.postMessage'),
  );
  expect(posted.headers.authorization).toBe('Bearer bot-token-value');
  const values = JSON.stringify(posted.body.blocks).match(/"value":"[^"]*"/g);
  expect(values).toEqual([`"value":"${envelope_id}"`, `"value":"${envelope_id}"`]);

  const { rule } = (
    await ask<{ rule: { place?: string } }>(url, 'GET', `/admin/v1/approvals/${envelope_id}`, { key: 'e2e-bob' })
  ).body;
  expect(rule.place).toMatch(/^policies\/pr-writer\.yaml:\d+$/);
  expect(posted.body.blocks[1].text.text).toContain(`\nRule at: \`${rule.place}\`\n`);
  const hooked = await until('the webhook', async () =>
    hook.calls.find(({ body }) => body.approval?.envelope_id === envelope_id),
  );
  expect(hooked.body.approval.rule.place).toBe(rule.place);

  const [id, user, trigger] = [envelope_id, 'U01', 'first-click'];
  const answer = await slackClick(url, slack.url, { id, user, trigger, comment: 'Looked at the diff.' });
  expect(answer.status).toBe(200);
  const dialog = await until('the dialog', async () => slack.calls.find(({ path }) => path === '/api/views.open'));
  expect(dialog.headers.authorization).toBe('Bearer bot-token-value');
  const carried = { envelope_id, verdict: 'approve', response_url: `${slack.url}/response` };
  expect(JSON.parse(dialog.body.view.private_metadata)).toEqual(carried);
  expect(await told(/approved by alice/)).toBeDefined();
  expect(await statusOf(envelope_id)).toBe('approved');
  const { entries } = await exportOf(url, 'e2e-bob', 'slack-vote');
  expect(entries.at(-1)).toMatchObject({
    kind: 'approve',
    body: { person: 'alice', channel: 'slack', comment: 'Looked at the diff.' },
  });
  await until('the update', async () => slack.calls.find(({ path }) => path === '/api/chat.update'));
  expect((await decided(url, 'e2e-agent', { ...pullRequest('slack-vote'), approval_ref: envelope_id })).decision).toBe(
    'allow',
  );
});

test('[slack.signature] [slack.replay] [sod.unmapped-chat] forged, replayed and unmapped clicks decide nothing', async () => {
  const { envelope_id } = await decided(url, 'e2e-agent', pullRequest('slack-forged'));
  expect((await click(envelope_id, 'U01', 'forged', 'guessed')).status).toBe(401);
  expect((await click(envelope_id, 'U99', 'unmapped')).status).toBe(200);
  await told(/not mapped to a person/);
  expect((await click(envelope_id, 'U99', 'unmapped')).status).toBe(409);
  expect(await statusOf(envelope_id)).toBe('pending');
});

test('[sod.own-request] the owner of the asking key has no vote by Slack either', async () => {
  const { envelope_id } = await decided(url, 'e2e-agent-of-alice', pullRequest('slack-own'));
  expect((await click(envelope_id, 'U01', 'own')).status).toBe(200);
  await told(/made this request or owns the key/);
  expect(await statusOf(envelope_id)).toBe('pending');
  expect((await click(envelope_id, 'U02', 'other')).status).toBe(200);
  await told(/approved by bob/);
  expect(await statusOf(envelope_id)).toBe('approved');
});

test('[notify.webhook-signed] [notify.events] the webhook hears of request and denial, signed', async () => {
  const { envelope_id } = await decided(url, 'e2e-agent', pullRequest('slack-hook'));
  await vote(url, 'e2e-bob', 'deny', envelope_id);
  const heard = await until('both events', async () => {
    const mine = hook.calls.filter(({ body }) => JSON.stringify(body).includes(envelope_id));
    return mine.length >= 2 ? mine : undefined;
  });
  expect(heard.map(({ body }) => body.event).sort()).toEqual(['denied', 'submitted']);
  for (const { headers } of heard) expect(JSON.stringify(headers)).toMatch(/signature/);
});
