/**
 * One request with concurrent votes over all channels: HTTP, the command line, Slack, a pull request, and the console
 * with a passkey.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { authenticator } from '../support/authenticator.ts';
import { fakePullRequests, headSha } from '../support/fake-pull-requests.ts';
import { fakeSlack } from '../support/fake-slack.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { pullRequestComment, slackClick } from './channels.ts';
import { agentctl, ask, decided, exportOf, type Fields, until, workFolder } from './client.ts';

let slack: Awaited<ReturnType<typeof fakeSlack>>;
let host: Awaited<ReturnType<typeof fakePullRequests>>;
let gateway: Gateway;
let url: string;
let serial = 5000;

const configuration = (approvals: number, more = '') => `
version: 1
people:
  - { id: alice, role: operator, slack_id: "T01/U01", github_login: alice-gh }
  - { id: bob, role: operator, slack_id: "T01/U02", github_login: bob-gh }
  - { id: carol, role: operator, slack_id: "T01/U03" }
  - { id: dave, role: viewer }
tenants:
  - id: default
    api_keys:
      - { key: channels-agent, kind: agent, name: builder, owner: dave }
      - { key: channels-alice, kind: human, person: alice }
      - { key: channels-alice-2, kind: human, person: alice }
      - { key: channels-bob, kind: human, person: bob }
      - { key: channels-carol, kind: human, person: carol }
organizations:
  - { id: acme, teams: [{ id: web, projects: [{ id: shop, environments: [{ id: production, kind: production, tenant: default }] }] }] }
separation_rules: [{ name: eyes, applies_to: "acme/**", requires: { approvals: ${approvals} } }]
tool_policies:
  pack: null
  rules:
    - { tool: quick.send, decision: review, approval: { timeout_seconds: 1 } }
    - { protocol: git, tool: scm.update_pull_request, decision: review }
${more}
approvals:
  channels:
    slack: { channel: C1, bot_token_env: SLACK_BOT_TOKEN, signing_secret_env: SLACK_SIGNING_SECRET, api_url: "${slack.url}/api" }
    github: { token_env: HOST_TOKEN, webhook_secret_env: HOST_WEBHOOK, repositories: [acme/web], api_url: "${host.url}" }
`;

beforeAll(async () => {
  slack = await fakeSlack();
  host = await fakePullRequests('host-token-value');
  host.permissions.set('acme/web Alice-GH', 'write').set('acme/web Bob-GH', 'write');
  host.heads.set('acme/web#7', headSha);
  const config = join(workFolder(), 'gateway.yaml');
  writeFileSync(config, configuration(2));
  const secrets = { SLACK_BOT_TOKEN: 'bot-token-value', SLACK_SIGNING_SECRET: 'signing-secret' };
  gateway = await startGateway({
    config,
    env: { ...secrets, HOST_TOKEN: 'host-token-value', HOST_WEBHOOK: 'webhook-secret' },
  });
  url = gateway.ready.admin_url;
});
afterAll(async () => {
  await gateway?.stop();
  await slack?.stop();
  await host?.stop();
});

const act = (session: string, more: object = {}) =>
  decided(url, 'channels-agent', {
    protocol: 'git',
    tool: 'scm.update_pull_request',
    target: 'acme/web',
    capability: 'write',
    parameters: { number: 7, title: session },
    actor: { agent: 'builder', session },
    ...more,
  });
const itemOf = async (id: string) =>
  (await ask<Fields>(url, 'GET', `/admin/v1/approvals/${id}`, { key: 'channels-bob' })).body;

/** Makes a request whose question is posted on the pull request, where comments count as votes from that point. */
async function asked(session: string): Promise<string> {
  const { envelope_id: id, decision } = await act(session);
  expect(decision).toBe('review');
  await until('the question, and its receipt', async () => {
    if (!host.comments.some(({ body }) => body.includes(id))) return undefined;
    // A vote from an unknown person gets only the known state of the request, and decides nothing.
    const { body } = await pullRequestComment(url, {
      text: `/approve ${id}`,
      number: 7,
      id: ++serial,
      login: 'nobody',
    });
    return body.text?.includes('not requested on this pull request') ? undefined : true;
  });
  return id;
}

const http = (id: string, key: string, verb = 'approve', more: object = {}) =>
  ask<Fields>(url, 'POST', `/admin/v1/approvals/${id}/${verb}`, { key, body: { reviewer: 'somebody', ...more } });
const cli = (id: string, key: string, verb = 'approve') =>
  agentctl([verb, id, '--reviewer', 'somebody', '--yes', '--url', url, '--key', key]);
/** Clicks a button; resolves once the outcome has been sent to Slack. */
async function click(id: string, user: string): Promise<void> {
  const trigger = `t${++serial}`;
  const response = `/response/${trigger}`;
  expect((await slackClick(url, slack.url, { id, user, trigger, response })).status).toBe(200);
  await until('the outcome of a click', async () => slack.calls.find(({ path }) => path === response));
}
const comment = (id: string, login: string, verb = 'approve') =>
  pullRequestComment(url, { text: `/${verb} ${id}`, number: 7, id: ++serial, login });

/** Returns one person's votes over all channels, some of them twice. */
const everywhere = (id: string, { key, user, login }: Person) =>
  Promise.all([http(id, key), cli(id, key), click(id, user), comment(id, login), http(id, key), click(id, user)]);

interface Person {
  readonly key: string;
  readonly user: string;
  readonly login: string;
}
const alice: Person = { key: 'channels-alice', user: 'U01', login: 'Alice-GH' };
const bob: Person = { key: 'channels-bob', user: 'U02', login: 'Bob-GH' };

const votesIn = async (session: string) => {
  const { entries } = await exportOf(url, 'channels-bob', session);
  return entries
    .filter(({ kind }) => ['vote', 'approve', 'deny'].includes(kind))
    .map(({ kind, body }) => [kind, body.person]);
};

test('[identity.separation-rules] one person voting on five channels at the same time has one vote', async () => {
  const id = await asked('channels-one-person');
  await everywhere(id, alice);
  expect(await itemOf(id)).toMatchObject({ status: 'pending', votes: [{ person: 'alice' }] });
  // Another key of the same person, and their passkey, count as the same person.
  expect((await http(id, 'channels-alice-2')).status).toBe(409);
  const page = { id: 'localhost', origin: `http://localhost:${new URL(url).port}` };
  const own = authenticator();
  const begun = await ask<Fields>(url, 'POST', '/admin/v1/passkeys/challenge', { key: alice.key });
  const registration = { name: 'laptop', ...own.register(String(begun.body.challenge), page) };
  expect((await ask(url, 'POST', '/admin/v1/passkeys', { key: alice.key, body: registration })).status).toBe(201);
  const challenge = String((await itemOf(id)).passkey_challenge);
  expect((await http(id, alice.key, 'approve', { passkey: own.sign(challenge, page) })).status).toBe(409);
  expect(await votesIn('channels-one-person')).toEqual([['vote', 'alice']]);
  expect((await act('channels-one-person', { approval_ref: id })).decision).toBe('review');

  await everywhere(id, bob);
  expect((await itemOf(id)).status).toBe('approved');
  expect(await votesIn('channels-one-person')).toEqual([
    ['vote', 'alice'],
    ['approve', 'bob'],
  ]);
  expect((await act('channels-one-person', { approval_ref: id })).matched_rule).toBe(`approved:${id}`);
  expect((await act('channels-one-person', { approval_ref: id })).decision).toBe('review');
});

test('[identity.separation-rules] a denial on one channel closes the request on all others', async () => {
  const id = await asked('channels-denied');
  // Only one approval in addition: if two came first, they would decide before the denial.
  await Promise.all([comment(id, 'Alice-GH', 'deny'), click(id, 'U02'), http(id, 'channels-bob')]);
  await until('the denial', async () => ((await itemOf(id)).status === 'denied' ? true : undefined));
  await everywhere(id, bob);
  expect((await itemOf(id)).status).toBe('denied');
  const votes = await votesIn('channels-denied');
  expect(votes.at(-1)).toEqual(['deny', 'alice']);
  expect((await act('channels-denied', { approval_ref: id })).matched_rule).toBe(`denied:${id}`);
});
