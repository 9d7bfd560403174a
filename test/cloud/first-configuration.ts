/** An empty deployment gets its configuration. Every story begins this way. */
import assert from 'node:assert/strict';
import { type Check, check } from '../support/checks.ts';
import { type Call, expectStatus } from './caller.ts';
import { until } from './processes.ts';

const asYaml = { 'content-type': 'application/yaml' };
const read = (target: string) => ({
  protocol: 'git',
  tool: 'scm.get_file',
  target,
  capability: 'write',
  parameters: { title: 'a change' },
  actor: { agent: 'cloud', session: 'cloud-session' },
});

export function firstConfigurationChecks(call: Call, configuration: string): Check[] {
  return [
    check('an unconfigured gateway responds to health checks and refuses everything else', async () => {
      assert.equal(expectStatus(await call(undefined, 'GET /health'), 200).status, 'ok');
      expectStatus(await call('admin', 'GET /admin/v1/policies'), 503);
      expectStatus(await call('agent', 'POST /admin/v1/test-action', read('repo/README.md')), 503);
    }),
    check('the first configuration needs the admin token and becomes version 1', async () => {
      expectStatus(await call(undefined, 'PUT /admin/v1/config', configuration, asYaml), 401);
      expectStatus(await call('agent', 'PUT /admin/v1/config', configuration, asYaml), 401);
      const stored = expectStatus(await call('admin', 'PUT /admin/v1/config', configuration, asYaml), 201);
      assert.equal(stored.version, 1);
    }),
    check('every function sees the configuration within seconds', async () => {
      await until('the configuration to arrive', 15, async () => {
        const answer = await call('agent', 'POST /admin/v1/test-action', { ...read('repo/a'), dry_run: true });
        return answer.status === 200;
      });
      const { policy_version } = expectStatus(await call('human', 'GET /admin/v1/health/detailed'), 200);
      assert.equal(policy_version, 1);
    }),
  ];
}
