/** The `doctor` check for the log's witnesses. */
import { deployment } from '../../../test/unit/agentctl/deployment.ts';

const { examined } = deployment();

test('[cli.status] doctor names a missing log witness, and explains how to start one', async () => {
  expect(await examined({ 'GET /admin/v1/evidence/log/checkpoint': { cosigned: [] } })).toMatchObject({
    code: 0,
    failed: 0,
    warned: 1,
    odd: [
      {
        check: 'log',
        state: 'warn',
        found: 'the log has no witness',
        todo: 'run agentctl witness on a machine that others administer',
      },
    ],
  });
});
