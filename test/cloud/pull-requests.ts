/**
 * Approvals on pull requests in a deployment: `notify` posts the question, and votes arrive through the callback API.
 */
import assert from 'node:assert/strict';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { type Check, check } from '../support/checks.ts';
import {
  commentPayload,
  deliveryHeaders,
  type fakePullRequests,
  headSha,
  pushedSha,
} from '../support/fake-pull-requests.ts';
import { type Call, clientConfig, expectStatus } from './caller.ts';
import type { Emulator } from './emulator.ts';
import { until } from './processes.ts';

export const hostToken = 'token-of-the-git-host';
const webhookSecret = 'secret-of-the-webhook';
const session = 'cloud-pull-requests';
const login = 'Alice-GH';

export function pullRequestChecks(
  emulator: Emulator,
  { call, callbacks, host }: { call: Call; callbacks: Call; host: Awaited<ReturnType<typeof fakePullRequests>> },
): Check[] {
  const secrets = new SecretsManagerClient(clientConfig(emulator));
  const lambda = new LambdaClient(clientConfig(emulator));
  let writes = 5000;

  /** Makes a request, and waits until its question is on the pull request and the gateway has stored its location. */
  const asked = async (number: number): Promise<string> => {
    const action = {
      protocol: 'git',
      tool: 'scm.update_pull_request',
      target: 'cloud/web',
      capability: 'write',
      parameters: { number, title: 'a change' },
      actor: { agent: 'cloud', session },
    };
    const { decision, envelope_id } = expectStatus(await call('agent', 'POST /admin/v1/test-action', action), 200);
    assert.equal(decision, 'review');
    await until('the question on the pull request', 30, async () => {
      await lambda.send(new InvokeCommand({ FunctionName: 'agent-governance-notify' }));
      return host.comments.some(({ on, body }) => on === `cloud/web#${number}` && body.includes(envelope_id));
    });
    return envelope_id;
  };
  const comment = (text: string, number: number, { id = ++writes, secret = webhookSecret } = {}) => {
    const raw = JSON.stringify(commentPayload({ text, id, login, repository: 'cloud/web', number }));
    return callbacks(undefined, 'POST /callbacks/github', raw, deliveryHeaders(raw, secret));
  };
  const statusOf = async (id: string) => expectStatus(await call('human', `GET /admin/v1/approvals/${id}`), 200).status;

  return [
    check(
      'an operator stores the secrets that the Git host and the gateway use to authenticate each other',
      async () => {
        const SecretString = JSON.stringify({ HOST_TOKEN: hostToken, HOST_WEBHOOK: webhookSecret });
        await secrets.send(new PutSecretValueCommand({ SecretId: 'agent-governance/github', SecretString }));
        host.permissions.set(`cloud/web ${login}`, 'write');
        for (const number of [7, 8]) host.heads.set(`cloud/web#${number}`, headSha);
        const forged = () => comment('forged', 7, { secret: 'guessed' });
        await until('the secret to arrive at the callback', 15, async () => (await forged()).status === 401);
      },
    ),
    check(
      'a question is posted on its pull request, and a verified comment there decides the request, once',
      async () => {
        const id = await asked(7);
        assert.equal((await comment(`/approve ${id}`, 7, { secret: 'guessed' })).status, 401);
        const sent = { id: ++writes };
        assert.match(expectStatus(await comment(`/approve ${id}`, 7, sent), 200).text, /approved by alice/);
        expectStatus(await comment(`/approve ${id}`, 7, sent), 409);
        assert.equal(await statusOf(id), 'approved');
      },
    ),
    check('a push invalidates the question', async () => {
      const id = await asked(8);
      host.heads.set('cloud/web#8', pushedSha);
      assert.match(expectStatus(await comment(`/approve ${id}`, 8), 200).text, /a push voids the question/);
      assert.equal(await statusOf(id), 'pending');
      assert.match(expectStatus(await comment(`/deny ${id}`, 8), 200).text, /denied by alice/);
    }),
  ];
}
