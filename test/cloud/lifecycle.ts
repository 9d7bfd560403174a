/** The life cycle of actions, approvals and evidence on the deployed stacks. */
import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { DescribeExecutionCommand, GetExecutionHistoryCommand, SFNClient } from '@aws-sdk/client-sfn';
import { logKeyOf, verifierKey } from '#core/evidence/transparency/note.ts';
import { checkLogProof } from '#core/evidence/transparency/session-proof.ts';
import { verifyBundle } from '#core/evidence/verify.ts';
import { type Check, check } from '../support/checks.ts';
import { type Call, clientConfig, expectStatus, publicKeyOf } from './caller.ts';
import type { Outputs } from './deployment.ts';
import type { Emulator } from './emulator.ts';
import { until } from './processes.ts';

const session = 'cloud-session';
const action = (tool: string, target: string, more: object = {}) => ({
  protocol: tool.startsWith('sql') ? 'sql' : 'git',
  tool,
  target,
  capability: 'write',
  parameters: { title: 'a change' },
  actor: { agent: 'cloud', session },
  ...more,
});

export function lifecycleChecks(emulator: Emulator, outputs: Outputs, call: Call): Check[] {
  const client = clientConfig(emulator);
  const sfn = new SFNClient(client);
  const db = new DynamoDBClient(client);
  const { ApprovalStateMachineArn } = outputs.GatewayServices;
  const executionArn = (id: string) => `${ApprovalStateMachineArn.replace(':stateMachine:', ':execution:')}:${id}`;

  const govern = async (tool: string, target: string, more?: object) =>
    expectStatus(await call('agent', 'POST /admin/v1/test-action', action(tool, target, more)), 200);
  const review = async (tool: string, target: string): Promise<string> => {
    const result = await govern(tool, target);
    assert.equal(result.decision, 'review', JSON.stringify(result));
    assert.equal(result.error.code, -32002);
    return result.envelope_id;
  };
  const vote = (id: string, verdict: 'approve' | 'deny', caller: 'human' | 'agent' | 'viewer' = 'human') =>
    call(caller, `POST /admin/v1/approvals/${id}/${verdict}`, { reviewer: 'Alice', comment: 'looked at it' });

  /** Waits until the execution has stored its task token in the row. */
  const parked = (id: string) =>
    until(`the task token of ${id}`, 20, async () => {
      const { Item } = await db.send(
        new GetItemCommand({ TableName: 'agent-governance-approvals', Key: { id: { S: id } }, ConsistentRead: true }),
      );
      return Item !== undefined && JSON.stringify(Item).includes('"task_token"');
    });
  const ended = (id: string) =>
    until(`the execution of ${id} to end`, 30, async () => {
      const found = await sfn.send(new DescribeExecutionCommand({ executionArn: executionArn(id) }));
      return found.status !== 'RUNNING' && found;
    });
  const succeeded = async (id: string, status: string): Promise<void> => {
    const execution = await ended(id);
    assert.equal(execution.status, 'SUCCEEDED', execution.cause);
    assert.deepEqual(JSON.parse(execution.output ?? '{}'), { status });
  };
  const timedOut = async (id: string): Promise<boolean> => {
    const { events = [] } = await sfn.send(new GetExecutionHistoryCommand({ executionArn: executionArn(id) }));
    // AWS emits a dedicated event here, the emulator a failed task.
    return events.some(
      ({ type, ...details }) => type === 'TaskTimedOut' || JSON.stringify(details).includes('States.Timeout'),
    );
  };
  /** Lets a request expire. Returns whether the state machine ended it, or the sweep did so first. */
  const lapse = async (target: string): Promise<boolean> => {
    const id = await review('scm.forget', target);
    await succeeded(id, 'denied');
    const record = expectStatus(await call('human', `GET /admin/v1/approvals/${id}`), 200);
    assert.deepEqual([record.status, record.reviewer, record.reason], ['denied', 'system', 'timeout']);
    expectStatus(await vote(id, 'approve'), 409);
    return timedOut(id);
  };

  let approved = '';
  return [
    check('an allowed action returns its rule and evidence', async () => {
      const result = await govern('scm.get_file', 'repo/README.md');
      assert.equal(result.decision, 'allow', JSON.stringify(result));
      assert.equal(result.matched_rule, 'git:scm.get_file');
      assert.match(result.evidence_hash, /^[0-9a-f]{64}$/);
    }),
    check('a blocked action returns -32001 with the reason and an alternative', async () => {
      const { decision, error } = await govern('sql.drop', 'orders');
      assert.equal(decision, 'block');
      assert.equal(error.code, -32001);
      assert.equal(error.data.reason, 'tables are not dropped');
      assert.equal(error.data.suggested_alternative, 'rename the table');
    }),
    check('a review starts a timer and is listed as pending, and neither an agent nor a viewer may vote', async () => {
      approved = await review('scm.publish', 'repo/main');
      await parked(approved);
      const { pending } = expectStatus(await call('human', 'GET /admin/v1/approvals'), 200);
      assert.ok(pending.some(({ envelope_id }: { envelope_id: string }) => envelope_id === approved));
      expectStatus(await vote(approved, 'approve', 'agent'), 403);
      expectStatus(await vote(approved, 'approve', 'viewer'), 403);
    }),
    check('repeating a pending call does not start a second request', async () => {
      assert.equal(await review('scm.publish', 'repo/main'), approved);
    }),
    check('a human approves, the task token ends the execution, and a second vote is a conflict', async () => {
      const record = expectStatus(await vote(approved, 'approve'), 200);
      assert.equal(record.status, 'approved');
      assert.equal(record.reviewer, 'Alice');
      expectStatus(await vote(approved, 'deny'), 409);
      await succeeded(approved, 'approved');
    }),
    check('the approval can be used only once', async () => {
      const used = await govern('scm.publish', 'repo/main', { approval_ref: approved });
      assert.equal(used.decision, 'allow', JSON.stringify(used));
      assert.equal(used.matched_rule, `approved:${approved}`);
      const again = await govern('scm.publish', 'repo/main', { approval_ref: approved });
      assert.equal(again.decision, 'review', JSON.stringify(again));
      assert.ok(again.error.data.reason, 'says why the approval did not do');
    }),
    check('a denial ends the execution, and the retry is denied', async () => {
      const id = await review('scm.publish', 'repo/denied');
      assert.equal(expectStatus(await vote(id, 'deny'), 200).status, 'denied');
      const retry = await govern('scm.publish', 'repo/denied', { approval_ref: id });
      assert.deepEqual([retry.decision, retry.matched_rule], ['block', `denied:${id}`]);
      assert.equal(retry.error.data.reason, 'denied');
      await succeeded(id, 'denied');
    }),
    check('a request that gets no vote is denied when its time runs out', async () => {
      assert.ok((await lapse('repo/late')) || (await lapse('repo/later')), 'the wait ended by its time-out');
    }),
    check('all of this evidence verifies, both live and as a bundle under the KMS key', async () => {
      let live = expectStatus(await call('human', `GET /admin/v1/evidence/sessions/${session}/verify`), 200);
      assert.equal(live.valid, true, JSON.stringify(live));
      await until('archive and checkpoints to hold every entry', 60, async () => {
        live = expectStatus(await call('human', `GET /admin/v1/evidence/sessions/${session}/verify`), 200);
        return live.not_checked.length === 0;
      });
      assert.equal(live.checkpoint.index, live.total_entries - 1, JSON.stringify(live));
      assert.equal(live.archived_entries, live.total_entries, JSON.stringify(live));
      const bundle = expectStatus(await call('human', `GET /admin/v1/evidence/sessions/${session}/export`), 200);
      const { valid, total_entries, not_checked } = await verifyBundle(
        bundle,
        await publicKeyOf(emulator, bundle.manifest.signature.key_id),
      );
      assert.deepEqual({ valid, not_checked }, { valid: true, not_checked: [] });
      assert.ok(total_entries >= 10, `${total_entries} entries`);
      // The log is appended before the checkpoint. Its key is in KMS, and the bundle proves the session under that key.
      const logKey = createPublicKey(await publicKeyOf(emulator, outputs.GatewayStores.LogKeyId));
      const log = expectStatus(await call('human', 'GET /admin/v1/evidence/log/checkpoint'), 200);
      assert.equal(log.log_key, verifierKey(logKeyOf(logKey, 'default')));
      const trust = { log: logKeyOf(logKey, 'default') };
      const proof = checkLogProof(bundle.log_proof, { tenant: 'default', session_id: session }, trust);
      assert.ok(typeof proof !== 'string', String(proof));
      assert.equal(proof.leaf.index, total_entries - 1);
      bundle.entries[1].body.forged = true;
      assert.equal((await verifyBundle(bundle)).valid, false);
    }),
    check('the stream writes every entry to the archive and the counters', async () => {
      const { entries } = expectStatus(await call('human', `GET /admin/v1/evidence/sessions/${session}/export`), 200);
      const s3 = new S3Client({ ...client, forcePathStyle: true });
      await until(`${entries.length} archived entries`, 30, async () => {
        const { Contents = [] } = await s3.send(
          new ListObjectsV2Command({ Bucket: outputs.GatewayStores.ArchiveBucketName, Prefix: `default/${session}/` }),
        );
        return new Set(Contents.flatMap(({ Key = '' }) => positionsIn(Key))).size >= entries.length;
      });
      await until('usage to count the decisions', 20, async () =>
        /"allow":\s*[1-9]/.test(JSON.stringify(expectStatus(await call('viewer', 'GET /admin/v1/usage'), 200))),
      );
    }),
  ];
}

/** Returns the positions of the entries in an archive object: one or a range, depending on its name. */
function positionsIn(key: string): number[] {
  const [, first, last = first] = /\/(\d{12})(?:-(\d{12}))?-[0-9a-f]{64}\.jsonl?$/.exec(key) ?? [];
  if (first === undefined) return [];
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i);
}
