/**
 * Runs local gateways over one store and one emulator bucket, so that the archive is written under S3 conditions and
 * Object Lock.
 */

import assert from 'node:assert/strict';
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
  PutObjectLockConfigurationCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { dynamoStore } from '#adapters/aws/dynamodb/store.ts';
import type { TableName } from '#core/contracts/tables.ts';
import { tables } from '#features/tables.ts';
import type { LocalKeys } from '../../adapters/local/keys-file.ts';
import { type Child, startChild } from '../../bench/host.ts';
import { type Check, check } from '../support/checks.ts';
import type { Loose } from '../support/loose.ts';
import { TableAttacker } from '../support/table-attacker.ts';
import { clientConfig } from './caller.ts';
import type { Emulator } from './emulator.ts';
import { run, until } from './processes.ts';

const bucket = 'cloud-shared-archive';
/** A session belongs to the key that opened it, and each gateway creates its own keys. */
const sessions = ['cloud-archive-one', 'cloud-archive-two'] as const;
type Session = (typeof sessions)[number];

interface Running {
  readonly child: Child;
  readonly url: string;
  readonly keys: LocalKeys;
}

export function sharedArchiveChecks(emulator: Emulator): Check[] {
  const s3 = new S3Client({ ...clientConfig(emulator), forcePathStyle: true });
  const running: Running[] = [];
  let folder: string;

  const start = async (name: string): Promise<Running> => {
    const args = ['--state', join(folder, name), '--keys', join(folder, 'keys'), '--no-edge'];
    const surfaces = ['gateway', 'admin', 'mcp'].flatMap((surface) => [`--${surface}-port`, '0']);
    const places = { DYNAMODB_ENDPOINT: emulator.endpoint, GATEWAY_ARCHIVE_BUCKET: bucket };
    const child = await startChild('bin/local.ts', [...args, ...surfaces], { env: { ...emulator.env, ...places } });
    const { admin_url, keys_file } = child.ready as unknown as { admin_url: string; keys_file: string };
    const started = { child, url: admin_url, keys: JSON.parse(await readFile(keys_file, 'utf8')) as LocalKeys };
    running.push(started);
    return started;
  };
  const ask = async ({ url }: Running, key: string, method: string, path: string, body?: unknown): Promise<Loose> => {
    const answer = await fetch(`${url}/admin/v1/${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return answer.json();
  };
  const act = async (at: Running, session: Session) => {
    const { decision } = await ask(at, at.keys.agent, 'POST', 'test-action', {
      protocol: 'git',
      tool: 'scm.get_file_contents',
      target: 'acme/web',
      capability: 'read',
      actor: { session },
    });
    assert.equal(decision, 'allow');
  };
  const verified = (at: Running, session: Session) =>
    ask(at, at.keys.human, 'GET', `evidence/sessions/${session}/verify`);
  const archived = (at: Running, session: Session, entries: number) =>
    until(`${entries} entries of ${session} under a checkpoint and in the bucket`, 60, async () => {
      const body = await verified(at, session);
      return body.valid && body.not_checked.length === 0 && body.archived_entries === entries && body;
    });
  const versions = async () =>
    (await s3.send(new ListObjectVersionsCommand({ Bucket: bucket }))).Versions?.filter(({ Key }) => Key) ?? [];

  return [
    check(
      '[shared.gateways] gateways on local hosts start with a locked bucket and the same type of store as on AWS',
      async () => {
        folder = await mkdtemp(join(emulator.scratch, 'shared-archive-'));
        await s3.send(new CreateBucketCommand({ Bucket: bucket, ObjectLockEnabledForBucket: true }));
        const DefaultRetention = { Mode: 'COMPLIANCE', Days: 1 } as const;
        await s3.send(
          new PutObjectLockConfigurationCommand({
            Bucket: bucket,
            ObjectLockConfiguration: { ObjectLockEnabled: 'Enabled', Rule: { DefaultRetention } },
          }),
        );
        await run('node_modules/.bin/node', ['bin/local.ts', '--make-keys', join(folder, 'keys')], {
          env: emulator.env,
        });
        const both = [await start('one'), await start('two')];
        // Each call records a decision and an outcome.
        for (const at of both) for (let count = 0; count < 2; count++) await act(at, sessions[both.indexOf(at)]!);
        for (const at of both)
          for (const each of sessions) assert.equal((await archived(at, each, 4)).total_entries, 4);
      },
    ),
    check(
      '[shared.gateways] objects in the bucket cannot be replaced or removed before their retention ends',
      async () => {
        const found = await versions();
        assert.ok(found.length >= 2, `${found.length} objects`);
        const before = found.length;
        for (const { Key, VersionId } of found) {
          await assert.rejects(
            s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'forged', IfNoneMatch: '*' })),
            /PreconditionFailed|pre-?conditions/i,
          );
          await assert.rejects(s3.send(new DeleteObjectCommand({ Bucket: bucket, Key, VersionId })), /Access ?Denied/i);
          const kept = await s3.send(new GetObjectCommand({ Bucket: bucket, Key, VersionId }));
          assert.equal(kept.ObjectLockMode, 'COMPLIANCE');
        }
        assert.equal((await versions()).length, before);
      },
    ),
    check('[shared.gateways] a gateway detects that a chain it did not write was rewritten in the store', async () => {
      const [, reader] = running as [Running, Running];
      const physical = Object.fromEntries(Object.keys(tables).map((name) => [name, `gateway-${name}`]));
      const attacker = new TableAttacker({
        store: dynamoStore({
          client: new DynamoDBClient(clientConfig(emulator)),
          tables: physical as Record<TableName, string>,
        }),
      });
      const [written] = sessions;
      const story = await attacker.entries(written);
      await attacker.tell(written, story.with(0, { ...story[0]!, body: { tool: 'other' } }));
      assert.equal((await verified(reader, written)).valid, false);
      await Promise.all(running.map(({ child }) => child.stop()));
    }),
  ];
}
