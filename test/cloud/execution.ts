/**
 * Allowed actions executed on the deployed stacks: SQL parsed by its grammar, commands in the sandbox, approved calls
 * run by the state machine.
 */
import assert from 'node:assert/strict';
import { DescribeExecutionCommand, SFNClient } from '@aws-sdk/client-sfn';
import { type Check, check } from '../support/checks.ts';
import { type Call, clientConfig, expectStatus } from './caller.ts';
import type { Outputs } from './deployment.ts';
import type { Emulator } from './emulator.ts';
import type { Office } from './office.ts';
import { until } from './processes.ts';

const session = 'cloud-execution';

/** @param executing the configuration under which the state machine runs approved calls. */
export function executionChecks(
  emulator: Emulator,
  outputs: Outputs,
  admin: Call,
  office: Office,
  executing: string,
): Check[] {
  const ranOf = (tool: string) => office.ran.filter((name) => name === tool).length;
  const sfn = new SFNClient(clientConfig(emulator));
  const machine = outputs.GatewayServices.ApprovalStateMachineArn.replace(':stateMachine:', ':execution:');

  const act = async (protocol: string, tool: string, parameters: object, more: object = {}) =>
    expectStatus(
      await admin('agent', 'POST /admin/v1/test-action', {
        protocol,
        tool,
        target: '',
        capability: 'execute',
        parameters,
        actor: { session },
        ...more,
      }),
      200,
    );
  const sql = (query: string) => act('sql', 'sql.query', { sql: query }, { dry_run: true });
  const shell = (...argv: string[]) => act('shell', 'shell.run', { argv });
  const record = async (id: string) => expectStatus(await admin('human', `GET /admin/v1/approvals/${id}`), 200);

  /** Makes a request, has a human approve it, and waits until the state machine is done with it. */
  const approved = async (asked: Awaited<ReturnType<typeof act>>) => {
    assert.equal(asked.decision, 'review', JSON.stringify(asked));
    const id: string = asked.envelope_id;
    expectStatus(await admin('human', `POST /admin/v1/approvals/${id}/approve`, { reviewer: 'Alice' }), 200);
    const { status, cause } = await until(`the execution of ${id} to end`, 30, async () => {
      const found = await sfn.send(new DescribeExecutionCommand({ executionArn: `${machine}:${id}` }));
      return found.status !== 'RUNNING' && found;
    });
    assert.equal(status, 'SUCCEEDED', cause);
    return record(id);
  };

  let wanted: string[] = [];
  let ran: Awaited<ReturnType<typeof record>>;
  return [
    check(
      'SQL is parsed with the grammar packaged with the function, and its effects determine the decision',
      async () => {
        const reads = await sql('WITH recent AS (SELECT note FROM orders) SELECT * FROM recent -- DROP TABLE orders');
        assert.equal(reads.decision, 'allow', JSON.stringify(reads));
        const drops = await sql('SELECT 1; DROP /* quietly */ TABLE orders');
        assert.deepEqual([drops.decision, drops.matched_rule], ['block', 'sql:sql.drop'], JSON.stringify(drops));
      },
    ),
    check('a command runs in the sandbox and its output is returned', async () => {
      const { decision, result, error } = await shell('echo', 'hello', 'from afar');
      assert.equal(decision, 'allow', JSON.stringify(error));
      assert.equal(result?.stdout, 'hello from afar\n', JSON.stringify({ result, error }));
      assert.equal(result.exit_code, 0);
    }),
    check('with on_approval: execute, the state machine runs the approved call with its task token', async () => {
      const asYaml = { 'content-type': 'application/yaml' };
      expectStatus(await admin('admin', 'PUT /admin/v1/config', executing, asYaml), 201);
      let asked = 0;
      // Under the old configuration the state machine leaves the call to the caller, and each attempt is a separate
      // call.
      ran = await until('the functions to see the new configuration', 60, async () => {
        wanted = ['mktemp', '-u', `report-${++asked}.XXXXXXXX`];
        const done = await approved(await shell(...wanted));
        return done.status === 'consumed' && done;
      });
      assert.deepEqual([ran.outcome, ran.executed_by], ['executed', 'gateway'], JSON.stringify(ran));
      assert.match(ran.result.stdout, /^report-\d+\.\w{8}\n$/);
    }),
    check('the command learns nothing about where it runs: no key, address or name', async () => {
      // Without a name it shows every variable, which no rule allows, so it needs approval.
      const { result } = await approved(await shell('printenv'));
      assert.ok(result?.stdout, JSON.stringify(result));
      const names = result.stdout.split('\n').map((line: string) => line.split('=')[0]);
      assert.deepEqual(
        names.filter((name: string) => /AWS|LAMBDA|TABLE|SECRET|_URL/.test(name)),
        [],
      );
    }),
    check('the retry gets the result, and nothing runs twice', async () => {
      for (const retry of [await shell(...wanted), await shell(...wanted)])
        assert.deepEqual(retry.result, ran.result, JSON.stringify(retry));
    }),
    check('the state machine also runs an approved MCP call on its server, once', async () => {
      const note = () => act('mcp', 'publish_note', { title: 'by the clock' }, { target: 'publish_note' });
      const before = ranOf('publish_note');
      const { status, outcome, result } = await approved(await note());
      assert.deepEqual([status, outcome], ['consumed', 'executed'], JSON.stringify(result));
      assert.match(JSON.stringify(result), /by the clock/);
      assert.deepEqual((await note()).result, result);
      assert.equal(ranOf('publish_note') - before, 1);
    }),
    check('the evidence of these executions verifies', async () => {
      const live = expectStatus(await admin('human', `GET /admin/v1/evidence/sessions/${session}/verify`), 200);
      assert.equal(live.valid, true, JSON.stringify(live));
    }),
  ];
}
