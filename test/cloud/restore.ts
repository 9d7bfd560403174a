/**
 * The restore drill: the tables of the first deployment are restored to a point in time while it keeps running, and a
 * second deployment adopts them. It follows the steps of `agentctl restore plan`, and `restore check` refuses the
 * deployment until they are done. The emulator copies the current table, so the first deployment keeps running
 * afterwards.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DynamoDBClient, RestoreTableToPointInTimeCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { bootstrapAdminToken } from '#adapters/aws/dynamodb/bootstrap.ts';
import type { TableName } from '#core/contracts/tables.ts';
import { tables } from '#features/tables.ts';
import { type Check, check } from '../support/checks.ts';
import type { Loose } from '../support/loose.ts';
import { addressOf, type Call, clientConfig, expectStatus, gatewayAt, type Keys, putSecret } from './caller.ts';
import { asYaml } from './data-plane.ts';
import { type Deployment, deployFirst, gateway, type Outputs } from './deployment.ts';
import type { Emulator } from './emulator.ts';
import { until } from './processes.ts';

const name = 'restored';
const session = 'cloud-restore';

interface Given {
  readonly call: Call;
  readonly keys: Keys;
  readonly configuration: string;
}

export function restoreChecks(
  emulator: Emulator,
  outputs: Outputs,
  { call: first, keys, configuration }: Given,
): Check[] {
  const client = clientConfig(emulator);
  const db = new DynamoDBClient(client);
  const s3 = new S3Client({ ...client, forcePathStyle: true });
  const secrets = new SecretsManagerClient(client);

  const act = (call: Call, tool: string, target: string, more: object = {}) =>
    call('agent', 'POST /admin/v1/test-action', {
      protocol: 'git',
      tool,
      target,
      capability: 'write',
      parameters: { title: 'a change' },
      actor: { agent: 'cloud', session },
      ...more,
    });
  const vote = (call: Call, id: string, verdict: string) =>
    call('human', `POST /admin/v1/approvals/${id}/${verdict}`, { reviewer: 'Alice', comment: 'looked at it' });
  const covered = (call: Call, of = session) =>
    until(`archive and checkpoints to hold ${of}`, 120, async () => {
      const found = expectStatus(await call('human', `GET /admin/v1/evidence/sessions/${of}/verify`), 200);
      return found.valid && found.not_checked.length === 0;
    });

  let second: Outputs;
  let call: Call;
  let published = '';
  const ids = { pending: '', approved: '', later: '' };
  const agentctl = async (...words: string[]) => {
    const child = spawn('node_modules/.bin/node', ['bin/agentctl.ts', ...words, '--json'], { env: emulator.env });
    const out: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => void out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => void out.push(chunk));
    const [code] = (await once(child, 'close')) as [number];
    const text = Buffer.concat(out).toString('utf8');
    return { code, text, faults: () => JSON.parse(text).findings.filter(({ state }: Loose) => state === 'fail') };
  };
  const onSecond = (...words: string[]) => {
    const url = addressOf(emulator, second.GatewayServices.AdminApiId);
    // Comparing what is in force reads hundreds of sessions, which is slow in the emulator.
    return agentctl('restore', ...words, '--url', url, '--key', keys.admin, '--timeout', '300');
  };
  const examined = () => onSecond('check', '--published', published);
  /** Returns the tables that the plan restores. */
  const restoredTables = async (): Promise<readonly TableName[]> => {
    const file = join(emulator.scratch, 'outputs.json');
    const stacks = [outputs.GatewayStores, outputs.GatewayServices] as const;
    await writeFile(
      file,
      JSON.stringify({ [`${gateway.name}-stores`]: stacks[0], [`${gateway.name}-services`]: stacks[1] }),
    );
    const { code, text } = await agentctl('restore', 'plan', '--outputs', file, '--to', name, '--at', '2026-01-01');
    assert.equal(code, 0, text);
    const planned = Object.entries(JSON.parse(text).tables as Record<TableName, string>);
    return planned.filter(([, note]) => note.startsWith('restored')).map(([table]) => table as TableName);
  };

  /**
   * Makes a request and stops its execution, as if it had ended with the first deployment. In the emulator the
   * execution would deny the request within seconds.
   */
  const review = async (target: string): Promise<string> => {
    const { envelope_id } = expectStatus(await act(first, 'scm.publish', target), 200);
    const arn = outputs.GatewayServices.ApprovalStateMachineArn.replace(':stateMachine:', ':execution:');
    await new SFNClient(client).send(new StopExecutionCommand({ executionArn: `${arn}:${envelope_id}` }));
    return envelope_id;
  };
  const copyBucket = async (from: string, to: string) => {
    let token: string | undefined;
    do {
      const page = await s3.send(
        new ListObjectsV2Command({ Bucket: from, ...(token !== undefined && { ContinuationToken: token }) }),
      );
      for (const { Key } of page.Contents ?? []) {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: from, Key }));
        await s3.send(
          new PutObjectCommand({ Bucket: to, Key, Body: await Body!.transformToByteArray(), IfNoneMatch: '*' }),
        );
      }
      token = page.NextContinuationToken;
    } while (token !== undefined);
  };

  return [
    check('the tables are restored while approvals are pending, and the first deployment keeps running', async () => {
      const patient = configuration.replace('timeout_seconds: 600', 'timeout_seconds: 7200');
      expectStatus(await first('admin', 'PUT /admin/v1/config', patient, asYaml), 201);
      await until('a request to wait for two hours', 60, async () => {
        const envelope_id = await review(`repo/${Date.now()}`);
        const { queued_at, expires_at } = expectStatus(
          await first('human', `GET /admin/v1/approvals/${envelope_id}`),
          200,
        );
        return Date.parse(expires_at) - Date.parse(queued_at) > 3_600_000;
      });
      ids.pending = await review('repo/pending');
      ids.later = await review('repo/later');
      ids.approved = await review('repo/approved');
      expectStatus(await vote(first, ids.approved, 'approve'), 200);
      await covered(first);

      for (const table of await restoredTables()) {
        const spec = tables[table];
        const TableName = `${name}-${table}`;
        const SourceTableName = `${gateway.name}-${table}`;
        await db.send(
          new RestoreTableToPointInTimeCommand({
            SourceTableName,
            TargetTableName: TableName,
            UseLatestRestorableTime: true,
          }),
        );
        const StreamSpecification = { StreamEnabled: true, StreamViewType: spec.stream! };
        if (spec.stream) await db.send(new UpdateTableCommand({ TableName, StreamSpecification }));
      }

      expectStatus(await vote(first, ids.later, 'approve'), 200);
      const opened = { actor: { agent: 'cloud', session: `${session}-later` } };
      expectStatus(await act(first, 'scm.get_file', 'repo/README.md', opened), 200);
      for (const each of [session, `${session}-later`]) await covered(first, each);
      const { checkpoint } = expectStatus(await first('human', 'GET /admin/v1/evidence/log/checkpoint'), 200);
      published = join(emulator.scratch, 'published');
      await writeFile(published, checkpoint);
    }),
    check('a second deployment adopts the tables and uses the first one’s buckets and secrets', async () => {
      const arn = (id: string) => `arn:aws:kms:${gateway.region}:${emulator.account}:key/${id}`;
      const { SigningKeyId, VoteKeyId, LogKeyId } = outputs.GatewayStores;
      const restored: Deployment = {
        name,
        region: gateway.region,
        adopts: true,
        context: {
          formerSigningKeys: arn(SigningKeyId),
          formerVoteKeys: arn(VoteKeyId),
          formerLogKeys: arn(LogKeyId),
          logKeyOverlap: 'off',
          restoring: `arn:aws:iam::${emulator.account}:root`,
        },
      };
      second = await deployFirst(emulator, restored);
      for (const bucket of ['ObjectBucketName', 'ArchiveBucketName'] as const)
        await copyBucket(outputs.GatewayStores[bucket], second.GatewayStores[bucket]);
      for (const secret of ['admin', 'keys', 'brokers']) {
        const { SecretString = '{}' } = await secrets.send(
          new GetSecretValueCommand({ SecretId: `${gateway.name}/${secret}` }),
        );
        await putSecret(emulator, `${name}/${secret}`, JSON.parse(SecretString), restored);
      }
      await bootstrapAdminToken({ db, secrets, name });
      call = gatewayAt(emulator, second.GatewayServices.AdminApiId, keys);
      await until(
        'the configuration to be read',
        30,
        async () => (await call('admin', 'GET /admin/v1/policies')).status === 200,
      );
    }),
    check(
      '[cli.status] the check refuses the restored deployment: chains are truncated, and the log was rolled back',
      async () => {
        const { code, text, faults } = await examined();
        assert.equal(code, 1, text);
        const found = faults().map(({ check: of, todo }: Loose) => `${of}: ${todo}`);
        assert.ok(
          found.some((each: string) => /^chains: .*restore entries/.test(each)),
          text,
        );
        assert.ok(
          found.some((each: string) => /^log: .*restore entries/.test(each)),
          text,
        );
      },
    ),
    check(
      '[evidence.archive.check] entries and the log are restored from the archive, and the check finds one approval that was already decided',
      async () => {
        const put = await onSecond('entries');
        assert.equal(put.code, 0, put.text);
        assert.ok(JSON.parse(put.text).put_back_entries >= 2, put.text);
        const after = await until('the check to find one approval only', 600, async () => {
          const { faults } = await examined();
          return faults().length === 1 && faults();
        });
        assert.match(after[0].found, new RegExp(`${ids.later} is pending, and evidence has the vote approve`));
        expectStatus(await vote(call, ids.later, 'deny'), 200);
      },
    ),
    check('[cli.status] the check passes, and approvals that were pending or unused still count', async () => {
      expectStatus(await vote(call, ids.pending, 'approve'), 200);
      for (const [id, target] of [
        [ids.pending, 'repo/pending'],
        [ids.approved, 'repo/approved'],
      ] as const) {
        const used = expectStatus(await act(call, 'scm.publish', target, { approval_ref: id }), 200);
        assert.equal(used.matched_rule, `approved:${id}`, JSON.stringify(used));
      }
      await covered(call);
      const { code, text } = await examined();
      assert.equal(code, 0, text);
    }),
  ];
}
