/** Questions on a fake host's pull requests, and comments that answer them. */
import { announce } from '#core/approvals/steps.ts';
import { createHandler as notify } from '#lambdas/notify/event.ts';
import { stepPorts } from '#lambdas/step-ports.ts';
import { caller } from '../../../test/support/call-endpoint.ts';
import {
  commentPayload,
  deliveryHeaders,
  fakePullRequests,
  headSha,
  type Written,
} from '../../../test/support/fake-pull-requests.ts';
import { keys, type TestPorts, testPorts } from '../../../test/support/ports.ts';

export let host: Awaited<ReturnType<typeof fakePullRequests>>;
export let gateway: TestPorts;
export let call: ReturnType<typeof caller>;
let asks = 0;
export let writes = 5000;
/** Returns the number of the next comment. */
export const nextComment = (): number => ++writes;

const channels = () => `
approvals:
  channels:
    github:
      token_env: HOST_TOKEN
      webhook_secret_env: HOST_WEBHOOK
      previous_webhook_secret_env: HOST_WEBHOOK_OLD
      repositories: ["acme/*"]
      pull_request: acme/ops#3
      api_url: "${host.url}"
`;

beforeAll(async () => {
  host = await fakePullRequests('host-token-value');
  gateway = await testPorts({
    extra: channels(),
    secrets: { HOST_TOKEN: 'host-token-value', HOST_WEBHOOK: 'webhook-secret-1', HOST_WEBHOOK_OLD: 'webhook-secret-0' },
  });
  call = caller(gateway.ports);
});
afterAll(async () => {
  await gateway.stop();
  await host.stop();
});
beforeEach(() => {
  for (const list of [host.calls, host.faults, host.comments]) list.length = 0;
  host.heads.clear();
  host.instead = undefined;
  for (const at of ['acme/web#7', 'acme/web#8', 'acme/ops#3']) host.heads.set(at, headSha);
  host.permissions.clear();
  for (const login of ['Alice-GH', 'bob-gh', 'vera-gh', 'tess-gh']) host.permissions.set(`acme/web ${login}`, 'write');
});

/** Makes a request that needs a human decision and posts its question on the pull request. */
export async function asked(over: object = {}, key = keys.other): Promise<string> {
  const body = {
    protocol: 'git',
    tool: 'scm.update_pull_request',
    target: 'acme/web',
    capability: 'write',
    parameters: { number: 7, title: 'Fix' },
    actor: { session: `comments-${++asks}` },
    ...over,
  };
  const answer = await call('POST', '/admin/v1/test-action', { key, body });
  expect(answer.body.decision).toBe('review');
  await announce(stepPorts(gateway.ports), answer.body.envelope_id);
  await notify(gateway.ports)();
  host.calls.length = 0;
  return answer.body.envelope_id;
}

export interface Sent extends Omit<Written, 'id'> {
  readonly id?: number;
  readonly secret?: string;
  readonly event?: string;
  readonly headers?: Record<string, string>;
}

export function comment({ secret = 'webhook-secret-1', event, headers, ...written }: Sent) {
  const raw = JSON.stringify(commentPayload({ id: nextComment(), ...written }));
  return call('POST', '/callbacks/github', { raw, headers: { ...deliveryHeaders(raw, secret, event), ...headers } });
}

export const rowOf = async (id: string) => (await gateway.ports.approvals.find(id))!;
export const statusOf = async (id: string) => (await rowOf(id)).status;
/** Returns the comments that the gateway wrote on a pull request after its question. */
export const answersOn = (on = 'acme/web#7') => host.comments.filter((written) => written.on === on).slice(1);
