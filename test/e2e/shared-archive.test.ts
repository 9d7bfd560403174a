/** Two gateways that share one store and one bucket: each reads the other's copies and checkpoints. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { over, startDynamo, type TestDynamo } from '../support/dynamo.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { TableAttacker } from '../support/table-attacker.ts';
import { ask, configurationWith, decided, root, until, workFolder } from './client.ts';
import { type S3Server, startS3 } from './s3-server.ts';

let dynamo: TestDynamo;
let s3: S3Server;
const keys = join(workFolder(), 'keys');
const local = (args: readonly string[], env: NodeJS.ProcessEnv = process.env) =>
  promisify(execFile)(join(root, 'node_modules/.bin/node'), [join(root, 'bin/local.ts'), ...args], { cwd: root, env });
const config = configurationWith((yaml) => yaml);
const started: Gateway[] = [];

async function withBucket(): Promise<Gateway> {
  const env = {
    DYNAMODB_ENDPOINT: dynamo.endpoint,
    GATEWAY_ARCHIVE_BUCKET: s3.bucket,
    AWS_ENDPOINT_URL_S3: s3.url,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'us-east-1',
  };
  const gateway = await startGateway({ config, args: ['--keys', keys, '--no-edge'], env });
  started.push(gateway);
  return gateway;
}

beforeAll(async () => {
  [dynamo, s3] = [await startDynamo(), await startS3()];
  await local(['--make-keys', keys]);
});
afterAll(async () => {
  await Promise.all(started.map((gateway) => gateway.stop()));
  await s3?.stop();
  await dynamo?.stop();
});

const act = ({ ready }: Gateway, session: string) =>
  decided(ready.admin_url, 'e2e-agent', {
    protocol: 'git',
    tool: 'scm.get_file_contents',
    target: 'acme/web',
    capability: 'read',
    actor: { session },
  });
const verified = async ({ ready }: Gateway, session: string) =>
  (
    await ask<{ valid: boolean; not_checked: string[]; archived_entries?: number; total_entries: number }>(
      ready.admin_url,
      'GET',
      `/admin/v1/evidence/sessions/${session}/verify`,
      { key: 'e2e-bob' },
    )
  ).body;
const whole = (gateway: Gateway, session: string, total_entries: number) =>
  until('every entry under a checkpoint and in the archive', async () => {
    const body = await verified(gateway, session);
    return (body.not_checked.length === 0 && body.archived_entries === total_entries && body) || undefined;
  });
const archiveWarnings = async ({ ready, keys: { admin_token: key } }: Gateway) => {
  const { body } = await ask<{ warnings: string[] }>(ready.admin_url, 'GET', '/admin/v1/health/detailed', { key });
  return body.warnings.filter((warning) => warning.includes('GATEWAY_ARCHIVE_BUCKET'));
};

test('[shared.gateways] entries from two gateways are archived and checkpointed for both, and for a third that starts empty later', async () => {
  const [one, two] = [await withBucket(), await withBucket()];
  for (const gateway of [one, two, one, two]) await act(gateway, 'shared-archive');
  for (const gateway of [one, two])
    expect(await whole(gateway, 'shared-archive', 4)).toMatchObject({ valid: true, total_entries: 4 });
  expect(await archiveWarnings(one)).toEqual([]);

  // A chain that was rewritten in the store is detected by a gateway that did not write it.
  await act(one, 'rewritten');
  await whole(one, 'rewritten', 1);
  const attacker = new TableAttacker(over(dynamo.client(), await dynamo.createTables('gateway-')));
  const story = await attacker.entries('rewritten');
  await attacker.tell('rewritten', story.with(0, { ...story[0]!, body: { tool: 'other' } }));
  expect(await verified(two, 'rewritten')).toMatchObject({ valid: false });

  await Promise.all([one.stop(), two.stop()]);
  const three = await withBucket();
  expect(await verified(three, 'shared-archive')).toMatchObject({ valid: true, not_checked: [], archived_entries: 4 });
  await act(three, 'shared-archive');
  expect(await whole(three, 'shared-archive', 5)).toMatchObject({ valid: true });
});

test('[shared.gateways] a missing bucket or an invalid bucket name stops startup with instructions', async () => {
  const env = { ...process.env, AWS_ENDPOINT_URL_S3: s3.url, AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
  const refused = (bucket: string) =>
    local(['--state', workFolder(), '--no-edge', '--archive-bucket', bucket], env).catch(({ stderr }) => stderr);
  expect(await refused('elsewhere')).toContain('The bucket GATEWAY_ARCHIVE_BUCKET=elsewhere cannot be listed');
  expect(await refused('No_Bucket')).toContain('it must be the name of a bucket');
});
