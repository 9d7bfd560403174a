/** Deploys one release over another while an approval is pending: no data is lost, and the vote counts. */
import assert from 'node:assert/strict';
import { GetFunctionConfigurationCommand, LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { DescribeExecutionCommand, SFNClient } from '@aws-sdk/client-sfn';
import { type Check, check } from '../support/checks.ts';
import { type Call, clientConfig, expectStatus } from './caller.ts';
import { deployNextRelease, type Outputs } from './deployment.ts';
import type { Emulator } from './emulator.ts';
import { until } from './processes.ts';

const session = 'cloud-upgrade';
const call = (more: object = {}) => ({
  protocol: 'git',
  tool: 'scm.publish',
  target: 'repo/over-an-upgrade',
  capability: 'write',
  parameters: { title: 'a change' },
  actor: { agent: 'cloud', session },
  ...more,
});

export function upgradeChecks(emulator: Emulator, outputs: Outputs, admin: Call): Check[] {
  const client = clientConfig(emulator);
  const lambda = new LambdaClient(client);
  const sfn = new SFNClient(client);
  const govern = async (more?: object) =>
    expectStatus(await admin('agent', 'POST /admin/v1/test-action', call(more)), 200);
  /** Returns the code digest of every function. */
  const code = async (): Promise<Map<string, string>> => {
    const { Functions = [] } = await lambda.send(new ListFunctionsCommand({}));
    const own = Functions.flatMap(({ FunctionName: name = '' }) => (name.startsWith('agent-governance') ? [name] : []));
    const known = await Promise.all(
      own.map((FunctionName) => lambda.send(new GetFunctionConfigurationCommand({ FunctionName }))),
    );
    return new Map(known.map(({ FunctionName = '', CodeSha256 = '' }) => [FunctionName, CodeSha256]));
  };

  return [
    check(
      '[cloud.upgrade-in-flight] an approval that is pending during an upgrade can be approved and used afterwards',
      async () => {
        const { decision, envelope_id } = await govern();
        assert.equal(decision, 'review');
        const { policy_version } = expectStatus(await admin('human', 'GET /admin/v1/health/detailed'), 200);
        const before = await code();
        assert.ok(before.size > 0, 'no function was found');

        const again = await deployNextRelease(emulator);
        assert.deepEqual(again, outputs, 'addresses and stores are those of before');
        const after = await code();
        for (const [name, digest] of before) assert.notEqual(after.get(name), digest, `${name} has the code of before`);

        const now = expectStatus(await admin('human', 'GET /admin/v1/health/detailed'), 200);
        assert.equal(now.policy_version, policy_version);
        assert.equal((await govern()).envelope_id, envelope_id);
        const vote = { reviewer: 'Alice', comment: 'over the upgrade' };
        expectStatus(await admin('human', `POST /admin/v1/approvals/${envelope_id}/approve`, vote), 200);
        const arn = outputs.GatewayServices.ApprovalStateMachineArn.replace(':stateMachine:', ':execution:');
        const execution = await until('the execution to end', 120, async () => {
          const found = await sfn.send(new DescribeExecutionCommand({ executionArn: `${arn}:${envelope_id}` }));
          return found.status !== 'RUNNING' && found;
        });
        assert.equal(execution.status, 'SUCCEEDED', execution.cause);
        const used = await govern({ approval_ref: envelope_id });
        assert.equal(used.matched_rule, `approved:${envelope_id}`);
        const verified = expectStatus(await admin('human', `GET /admin/v1/evidence/sessions/${session}/verify`), 200);
        assert.equal(verified.valid, true, JSON.stringify(verified));
      },
    ),
  ];
}
