import { announce } from '#core/approvals/steps.ts';
import { createHandler as callback } from '#lambdas/approval-callback/http.ts';
import { createHandler as notify } from '#lambdas/notify/event.ts';
import { stepPorts } from '#lambdas/step-ports.ts';
import { caller, eventTo } from '../../../test/support/call-endpoint.ts';
import { fakeSlack } from '../../../test/support/fake-slack.ts';
import type { Loose } from '../../../test/support/loose.ts';
import { configuration, keys, type TestPorts, testPorts } from '../../../test/support/ports.ts';
import { slackSignature } from '../interaction.ts';

let slack: Awaited<ReturnType<typeof fakeSlack>>;
let hook: Awaited<ReturnType<typeof fakeSlack>>;
let gateway: TestPorts;
let call: ReturnType<typeof caller>;
let clicks = 0;

const channels = () => `
approvals:
  channels:
    slack: { channel: C1, bot_token_env: SLACK_BOT_TOKEN, signing_secret_env: SLACK_SIGNING, previous_signing_secret_env: SLACK_OLD, api_url: "${slack.url}/api" }
    webhook: { url: "${hook.url}/hook", secret_env: HOOK_SECRET }
`;

beforeAll(async () => {
  slack = await fakeSlack();
  hook = await fakeSlack();
  gateway = await testPorts({
    extra: channels(),
    secrets: {
      SLACK_BOT_TOKEN: 'bot-token-value',
      SLACK_SIGNING: 'signing-1',
      SLACK_OLD: 'signing-0',
      HOOK_SECRET: 'hook-1',
    },
  });
  call = caller(gateway.ports);
});
afterAll(async () => {
  await gateway.stop();
  await slack.stop();
  await hook.stop();
});
beforeEach(() => {
  for (const list of [slack.calls, slack.faults, hook.calls]) list.length = 0;
});

async function asked(over: object = {}): Promise<string> {
  const body = {
    protocol: 'git',
    tool: 'scm.create_pull_request',
    target: 'acme/web',
    capability: 'write',
    actor: { session: `slack-${++clicks}` },
    ...over,
  };
  const answer = await call('POST', '/admin/v1/test-action', { key: keys.agent, body });
  await announce(stepPorts(gateway.ports), answer.body.envelope_id);
  return answer.body.envelope_id;
}

interface Click {
  readonly action?: string;
  readonly user?: string;
  /** The workspace of the account, if Slack names it. */
  readonly home?: string;
  readonly trigger?: string;
  readonly secret?: string;
  readonly agoSeconds?: number;
  readonly responseUrl?: string;
  /** The comment entered in the dialog. */
  readonly comment?: string | null;
}

const account = ({ user = 'U01', home }: Click) => ({
  team: { id: 'T01' },
  user: { id: user, ...(home !== undefined && { team_id: home }) },
});

function signed(payload: object, { secret = 'signing-1', agoSeconds = 0 }: Click) {
  const raw = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const timestamp = String(Math.floor(gateway.ports.clock.now() / 1000) - agoSeconds);
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': slackSignature(secret, timestamp, Buffer.from(raw)),
  };
  return { raw, headers };
}

function clickOf(id: string, how: Click) {
  const { action = 'approve', trigger, responseUrl } = how;
  const payload = {
    type: 'block_actions',
    ...account(how),
    trigger_id: trigger ?? `trigger-${++clicks}`,
    response_url: responseUrl ?? `${slack.url}/response`,
    actions: [{ action_id: action, value: id, action_ts: '1.2' }],
  };
  return signed(payload, how);
}

/** Returns the dialog as Slack submits it, with the data it was opened with unless `view` overrides it. */
function submissionOf(view: Loose, how: Click = {}) {
  const { callback_id, private_metadata } = view;
  const values = { comment: { comment: { type: 'plain_text_input', value: how.comment ?? null } } };
  const sent = { id: view.id ?? `V${++clicks}`, callback_id, private_metadata, state: { values } };
  return signed({ type: 'view_submission', ...account(how), view: sent, response_urls: [] }, how);
}

const press = (id: string, how: Click = {}) => call('POST', '/callbacks/slack', clickOf(id, how));
const submit = (view: Loose, how: Click = {}) => call('POST', '/callbacks/slack', submissionOf(view, how));
const dialogs = () => slack.calls.filter(({ path }) => path === '/api/views.open').map(({ body }) => body.view);

/** Clicks a button, and confirms the dialog if one opens. */
async function click(id: string, how: Click = {}) {
  const before = dialogs().length;
  const answer = await press(id, how);
  const view = dialogs()[before];
  if (view) await submit(view, how);
  return answer;
}

/** Returns the function's reply to a dialog, which is sent before the work that follows. */
async function confirmed(id: string, { ports }: { readonly ports: TestPorts['ports'] }) {
  await press(id);
  const { raw, headers } = submissionOf(dialogs().at(-1)!);
  return callback(ports)(eventTo('POST', '/callbacks/slack', { raw, headers }), { awsRequestId: 'request-1' });
}

/** Returns the last message sent to the person who clicked, at the URL that Slack provided. */
const told = (): string => slack.calls.findLast(({ path }) => path === '/response')?.body.text ?? 'nothing';

const statusOf = async (id: string) => (await gateway.ports.approvals.find(id))?.status;

describe('Slack', () => {
  test('[slack.confirmed] [notify.events] a request is posted with buttons that carry only its id, and rewritten once it is decided', async () => {
    const id = await asked({ justification: '<!channel> please' });
    await notify(gateway.ports)();
    const posted = slack.calls.find(
      ({ path, body }) => path === '/api/chat.postMessage' && JSON.stringify(body).includes(id),
    );
    const ts = `${slack.calls.indexOf(posted!) + 1}.0`; // the fake server numbers messages this way
    expect(posted?.headers.authorization).toBe('Bearer bot-token-value');
    const blocks = posted?.body.blocks ?? [];
    const actions = blocks.at(-1);
    expect(actions.elements.map(({ value }: { value: string }) => value)).toEqual([id, id]);
    expect(JSON.stringify(blocks)).toContain('scm.create_pull_request');
    expect(JSON.stringify(blocks)).not.toContain('<!channel>');

    expect((await click(id)).status).toBe(200);
    expect(await statusOf(id)).toBe('approved');
    await notify(gateway.ports)();
    const updated = slack.calls.find(
      ({ path, body }) => path === '/api/chat.update' && JSON.stringify(body).includes(id),
    );
    expect(updated?.body).toMatchObject({ channel: 'C1', ts });
    expect(JSON.stringify(updated?.body.blocks)).not.toContain('"button"');
    expect(JSON.stringify(updated?.body.blocks)).toContain('Approved by alice');
  });

  test.each([
    ['a foreign signature', { secret: 'wrong' }, 401],
    ['an answer address that is not of Slack', { responseUrl: 'http://169.254.169.254/latest' }, 400],
  ])('[slack.confirmed] %s decides nothing', async (_, how, status) => {
    const id = await asked();
    expect((await click(id, how)).status).toBe(status);
    expect(await statusOf(id)).toBe('pending');
  });

  test('[approval.whole-or-deny] the button on an older message does not approve a call that no message can show in full; a denial still counts', async () => {
    const id = await asked({ parameters: { body: 'x'.repeat(4_000), base: 'main' } });
    await notify(gateway.ports)();
    const posted = slack.calls.find(({ body }) => JSON.stringify(body).includes(id));
    const { elements } = posted?.body.blocks.at(-1) ?? { elements: [] };
    expect(elements.map(({ action_id }: { action_id: string }) => action_id)).toEqual(['deny']);
    await click(id);
    expect(told()).toContain('Not counted: the Slack message is too small to show all of this call.');
    expect(await statusOf(id)).toBe('pending');
    await click(id, { action: 'deny' });
    expect(await statusOf(id)).toBe('denied');
  });

  test('[slack.confirmed] a replayed click is refused', async () => {
    const id = await asked();
    await click(id, { trigger: 'same' });
    expect((await click(id, { trigger: 'same' })).status).toBe(409);
  });

  test('[sod.own-request] an account that is not mapped to a person has no vote', async () => {
    const id = await asked();
    await click(id, { user: 'U99' });
    expect(told()).toContain('not mapped to a person');
    expect(await statusOf(id)).toBe('pending');
  });

  test('[slack.confirmed] an account from another workspace in a shared channel is not confused with the account that has the same id here', async () => {
    const id = await asked();
    await click(id, { home: 'T02' });
    expect(told()).toContain('not mapped to a person');
    expect(await statusOf(id)).toBe('pending');
    await click(id, { home: 'T01' });
    expect(await statusOf(id)).toBe('approved');
  });
});

describe('the confirmation', () => {
  test('[slack.confirmed] a click only opens a dialog that names the call; submitting the dialog casts the vote, with its comment', async () => {
    const id = await asked();
    const row = await gateway.ports.approvals.find(id);
    expect((await press(id, { action: 'deny', trigger: 'for-the-dialog' })).status).toBe(200);
    expect(await statusOf(id)).toBe('pending');
    const opened = slack.calls.find(({ path }) => path === '/api/views.open');
    expect(opened).toMatchObject({ headers: { authorization: 'Bearer bot-token-value' } });
    expect(opened!.body).toMatchObject({
      trigger_id: 'for-the-dialog',
      view: {
        type: 'modal',
        title: { text: 'Deny this call' },
        submit: { text: 'Deny' },
        blocks: [{}, { optional: true }],
      },
    });
    const shown = opened!.body.view.blocks[0].text.text;
    for (const part of ['scm.create_pull_request', 'acme/web', id.slice(-8), row!.call_digest.slice(0, 16)])
      expect(shown).toContain(part);

    const answer = await submit(opened!.body.view, { action: 'deny', comment: ' The branch is frozen. ' });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await gateway.ports.approvals.find(id)).toMatchObject({
      status: 'denied',
      person: 'alice',
      comment: 'The branch is frozen.',
    });
    expect(told()).toBe('scm.create_pull_request: denied by alice.');
  });

  test('[slack.confirmed] the vote belongs to the person who submits the dialog, and the rules for clicks apply to it', async () => {
    const id = await asked();
    await press(id);
    const view = { ...dialogs()[0], id: 'V-of-this-test' };
    expect((await submit(view, { secret: 'wrong' })).status).toBe(401);
    expect((await submit(view, { agoSeconds: 301 })).status).toBe(401);
    const forged = (over: object) => ({
      ...view,
      private_metadata: JSON.stringify({ ...JSON.parse(view.private_metadata), ...over }),
    });
    for (const over of [
      { response_url: 'http://169.254.169.254/latest' },
      { verdict: 'approve_all' },
      { envelope_id: 'x' },
      { more: 1 },
    ])
      expect((await submit(forged(over))).status).toBe(400);
    expect((await submit({ ...view, callback_id: 'other' })).status).toBe(400);
    await submit({ ...view, id: 'V-of-nobody' }, { user: 'U99' });
    expect(told()).toContain('not mapped to a person');
    expect(await statusOf(id)).toBe('pending');
    expect((await submit(view, { secret: 'signing-0' })).status).toBe(200);
    expect(await statusOf(id)).toBe('approved');
    expect((await submit(view)).status).toBe(409);
  });

  test('[approval.whole-or-deny] a dialog does not approve a call that no message can show in full', async () => {
    const id = await asked({ parameters: { body: 'x'.repeat(4_000) } });
    await press(id);
    expect(dialogs()).toEqual([]);
    await press(id, { action: 'deny' });
    const [view] = dialogs();
    const private_metadata = view.private_metadata.replace('"deny"', '"approve"');
    await submit({ ...view, private_metadata });
    expect(told()).toContain('Not counted: the Slack message is too small to show all of this call.');
    expect(await statusOf(id)).toBe('pending');
  });

  test('[slack.confirmed] if Slack does not open a dialog, the person who clicked gets a button with a Slack confirmation', async () => {
    const id = await asked();
    slack.faults.push({ status: 200, body: { ok: false, error: 'missing_scope' } });
    await press(id);
    expect(await statusOf(id)).toBe('pending');
    const reply = slack.calls.findLast(({ path }) => path === '/response')!.body;
    expect(reply.text).toMatch(/^Not decided yet/);
    const [button] = reply.blocks.at(-1).elements;
    expect(button).toMatchObject({
      action_id: 'confirmed_approve',
      value: id,
      confirm: { confirm: { text: 'Approve' } },
    });
    expect(gateway.lines.join('\n')).toContain('missing_scope');
    await press(id, { action: button.action_id });
    expect(await gateway.ports.approvals.find(id)).toMatchObject({ status: 'approved', comment: '' });
  });

  test('[slack.confirmed] a click on a decided request opens no dialog', async () => {
    const id = await asked();
    await click(id);
    const before = dialogs().length;
    await press(id, { action: 'deny' });
    expect(dialogs()).toHaveLength(before);
    expect(told()).toContain('already approved');
  });
});

describe('the acknowledgement', () => {
  test('[slack.confirmed] is sent before the vote is recorded and promises nothing; the outcome is posted afterwards', async () => {
    const id = await asked();
    const recorded = Promise.withResolvers<void>();
    const ledger = {
      commit: async (step: Parameters<typeof gateway.ports.ledger.commit>[0]) => {
        await recorded.promise;
        return gateway.ports.ledger.commit(step);
      },
    };
    const reply = await confirmed(id, { ports: { ...gateway.ports, ledger } });
    expect([reply.statusCode, reply.body]).toEqual([200, '']);
    expect(await statusOf(id)).toBe('pending');
    expect(told()).toBe('nothing');
    recorded.resolve();
    await reply.finished;
    expect(await statusOf(id)).toBe('approved');
    expect(told()).toBe('scm.create_pull_request: approved by alice.');
  });

  test('[slack.confirmed] a vote that cannot be recorded is reported as not recorded, and the next click counts', async () => {
    const id = await asked();
    const ledger = { commit: () => Promise.reject(new Error('the store is down')) };
    await (await confirmed(id, { ports: { ...gateway.ports, ledger } })).finished;
    expect(told()).toMatch(/^Not decided: the gateway could not record the vote/);
    expect(await statusOf(id)).toBe('pending');
    await click(id);
    expect(await statusOf(id)).toBe('approved');
  });
});

describe('delivery', () => {});

test('[approval.strictest-terms] a click needs the passkey, even if the rule began requiring it after the message was posted', async () => {
  const id = await asked();
  const put = (toolPolicies: string) =>
    call('PUT', '/admin/v1/config', {
      key: 'admin-token-1',
      raw: configuration(channels(), '', toolPolicies),
      headers: { 'content-type': 'application/yaml' },
    });
  const rule =
    '{ protocol: git, tool: scm.create_pull_request, decision: review, approval: { require_passkey: true } }';
  expect((await put(`{ pack: pr-writer, rules: [${rule}] }`)).status).toBe(201);
  await click(id);
  expect(told()).toMatch(
    /^Not decided: .*only with a passkey\. Since this request was made, version \d+ of the configuration/,
  );
  expect(await statusOf(id)).toBe('pending');
  // Messages posted from now on contain the passkey requirement.
  await asked({ target: 'acme/api' });
  await notify(gateway.ports)();
  const posted = slack.calls.map(({ body }) => JSON.stringify(body)).find((text) => text.includes('acme/api'));
  expect(posted).toContain('required for each approval');
  expect((await put('{ pack: pr-writer }')).status).toBe(201);
  await click(id, { action: 'deny' });
  expect(await statusOf(id)).toBe('denied');
});

test('[notify.digest] pending requests arrive in one message over Slack and the webhook, are decided at their URLs, and the message is updated', async () => {
  await notify(gateway.ports)();
  for (const list of [slack.calls, hook.calls]) list.length = 0;
  const digest = '  digest: { channels: [slack, webhook], above: 0, every_seconds: 10 }\n';
  const raw = configuration(channels() + digest, '', '{ pack: pr-writer }');
  const headers = { 'content-type': 'application/yaml' };
  expect((await call('PUT', '/admin/v1/config', { key: 'admin-token-1', raw, headers })).status).toBe(201);
  const before = (await gateway.ports.approvals.pendingKeys('default', 1_000)).length;
  const ids = [await asked({ target: 'acme/one' }), await asked({ target: 'acme/two' })];
  await notify(gateway.ports)();
  expect([slack.calls, hook.calls]).toEqual([[], []]);
  gateway.pass(12);
  await notify(gateway.ports)();
  const [posted, ...others] = slack.calls;
  const [sent, ...further] = hook.calls;
  expect([others, further]).toEqual([[], []]);
  expect(posted).toMatchObject({ path: '/api/chat.postMessage', body: { channel: 'C1' } });
  expect(posted!.body.text).toMatch(new RegExp(`^${before + 2} requests? (?:is|are) pending approval`));
  expect(sent!.body).toMatchObject({ event: 'digest', digest: { tenant: 'default', waiting: before + 2 } });
  expect(sent!.body.digest.approvals_url).toMatch(/\/admin\/v1\/approvals$/);
  expect(sent!.body.digest.requests[0].approval_url).toMatch(/\/admin\/v1\/approvals\/[0-9a-f-]{36}$/);
  for (const id of ids) {
    const body = { reviewer: 'alice' };
    expect((await call('POST', `/admin/v1/approvals/${id}/deny`, { key: keys.human, body })).status).toBe(200);
  }
  gateway.pass(12);
  await notify(gateway.ports)();
  gateway.pass(12);
  await notify(gateway.ports)();
  const [rewritten, ...more] = slack.calls.slice(1);
  expect(more).toEqual([]);
  expect(rewritten).toMatchObject({ path: '/api/chat.update', body: { channel: 'C1' } });
  expect(hook.calls.at(-1)!.body.digest.waiting).toBe(before);
});
