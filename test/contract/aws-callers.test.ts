/** Callers with AWS signatures, in the form of events from API Gateway's IAM authoriser. */

import * as z from 'zod';
import { awsPrincipal } from '#core/configuration/identity/federation/aws-caller.ts';
import { recall } from '#core/configuration/identity/federation/recall.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { configuration, keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';
import { readCases } from '../support/yaml.ts';
import { base, packs } from '../unit/configuration/memory.ts';

const cases = readCases(
  'test/contract/aws-callers.yaml',
  z.strictObject({ refused: z.array(z.tuple([z.string(), z.string(), z.string()])) }),
);

const role = 'arn:aws:iam::123456789012:role/agents/writer';
const session = (name: string, of = 'writer', account = '123456789012') =>
  `arn:aws:sts::${account}:assumed-role/${of}/${name}`;
const extra = `
identity:
  aws:
    callers:
      - { arn: "${role}", tenant: default, role: operator, kind: agent, owner: bob, name: writer-role }
      - { arn: "arn:aws:iam::123456789012:user/people/alice", tenant: default, role: operator, kind: human, person: alice }
`;

const gateway = useGateway({ extra });
const { call } = gateway;

/**
 * Returns the identity as the template's REST API passes it on, with the signature in the header and the signer in the
 * context.
 */
const identityOf = (userArn: string) => ({
  accountId: userArn.split(':')[4],
  caller: 'AROAEXAMPLEEXAMPLE:build-7',
  user: 'AROAEXAMPLEEXAMPLE:build-7',
  accessKey: 'ASIAEXAMPLEEXAMPLE',
  userArn,
  sourceIp: '203.0.113.9',
});
const authorization =
  'AWS4-HMAC-SHA256 Credential=ASIAEXAMPLEEXAMPLE/20261122/eu-central-1/execute-api/aws4_request, SignedHeaders=host;x-amz-date, Signature=00';
const whoami = (userArn: string | undefined, headers: Record<string, string> = {}) =>
  call('GET', '/admin/v1/whoami', {
    headers: { authorization, ...headers },
    ...(userArn !== undefined && { identity: identityOf(userArn) }),
  });

test("[identity.aws-callers] a role's sessions are identified as the role, whatever their name", async () => {
  const first = await whoami(session('build-7'));
  expect(first).toMatchObject({
    status: 200,
    body: { tenant: 'default', role: 'operator', kind: 'agent', name: 'writer-role', owner: 'bob', platform: false },
  });
  expect(first.body.key_id).toMatch(/^aws-[0-9a-f]{24}$/);
  expect((await whoami(session('build-8'))).body.key_id).toBe(first.body.key_id);
  const user = await whoami('arn:aws:iam::123456789012:user/people/alice');
  expect(user.body).toMatchObject({ kind: 'human', person: 'alice' });
});

test.each([
  ['another role', session('s', 'other')],
  ['a role of the same name in another account', session('s', 'writer', '210987654321')],
  ['a user of the same name on another path', 'arn:aws:iam::123456789012:user/alice'],
  ['the root of the account', 'arn:aws:iam::123456789012:root'],
  ['a federated user', 'arn:aws:sts::123456789012:federated-user/writer'],
  ['a role whose name holds the other', session('s', 'xwriter')],
])('[identity.aws-callers] %s is 403', async (_, arn) => {
  expect(await whoami(arn)).toMatchObject({ status: 403, body: { error: { type: 'forbidden' } } });
});

test('[identity.aws-callers] headers that claim an identity are ignored, and a request with both a key and a signature is refused', async () => {
  for (const name of ['x-amzn-iam-arn', 'userarn', 'x-amzn-request-context', 'x-amz-user-arn'])
    expect((await whoami(undefined, { [name]: session('build-7') })).status).toBe(401);
  expect((await whoami(session('build-7'), { 'x-api-key': keys.agent })).status).toBe(401);
  expect((await call('GET', '/admin/v1/whoami', { key: keys.agent })).body.name).toBe('writer');
});

test('[identity.aws-callers] without an authorizer, the response to a signed request explains how to proceed', async () => {
  expect(await whoami(undefined)).toMatchObject({
    status: 401,
    body: { error: { message: expect.stringContaining('-c iamCallers=on') } },
  });
});

test('[identity.aws-callers] evidence names the account and the role, which identify votes and sessions just as a key does', async () => {
  const identity = identityOf(session('build-7'));
  const action = { protocol: 'git', target: 'acme/web', actor: { session: 'aws-evidence' } };
  const read = { ...action, tool: 'scm.list_branches', capability: 'read' };
  expect((await call('POST', '/admin/v1/test-action', { identity, body: read })).status).toBe(200);
  expect((await gateway.act(read)).status).toBe(403);
  const pull = { ...action, tool: 'scm.create_pull_request', capability: 'write', parameters: { title: 'x' } };
  const { body } = await call('POST', '/admin/v1/test-action', { identity, body: pull });
  const vote = (key: string) =>
    call('POST', `/admin/v1/approvals/${body.envelope_id}/approve`, { key, body: { reviewer: 'r' } });
  expect((await vote(keys.owner)).status).toBe(403); // bob owns the role
  expect((await vote(keys.human)).status).toBe(200);
  const { text } = await call('GET', '/admin/v1/evidence/sessions/aws-evidence/export', { key: keys.human });
  expect(text).toContain('"issuer":"aws:123456789012"');
  expect(text).toContain(`"subject":"${role}"`);
  expect(text).not.toContain('ASIAEXAMPLE');
});

test('[identity.aws-callers] if a role is removed from the configuration, its pending requests end too', async () => {
  const { ports } = gateway;
  const before = await ports.snapshots.current();
  const { key_id, federated } = awsPrincipal(session('x'), before.configuration);
  expect(await recall(before, key_id, federated)).toMatchObject({ key_id, owner: 'bob' });
  expect(await recall(before, 'aws-000000000000000000000000', federated)).toBeUndefined();
  await call('PUT', '/admin/v1/config', {
    key: 'admin-token-1',
    raw: configuration(),
    headers: { 'content-type': 'application/yaml' },
  });
  const after = await ports.snapshots.refresh();
  try {
    expect(await recall(after, key_id, federated)).toBeUndefined();
    expect((await whoami(session('x'))).status).toBe(403);
  } finally {
    await call('PUT', '/admin/v1/config', {
      key: 'admin-token-1',
      raw: configuration(extra),
      headers: { 'content-type': 'application/yaml' },
    });
    await ports.snapshots.refresh();
  }
});

test.each(cases.refused)('[identity.aws-callers] the configuration rejects %s', async (_, callers, expected) => {
  const text = base(`identity: { aws: { callers: [${callers}] } }`);
  await expect(loadConfiguration(text, { packs })).rejects.toThrow(expected);
});
