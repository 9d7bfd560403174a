/** `doctor` compares the active configuration with the evidence. */
import { deployment } from '../../../test/unit/agentctl/deployment.ts';

const { home, examined } = deployment();

test('[evidence.in-force] doctor names each row that differs from the evidence, and everything it did not compare', async () => {
  const difference = { of: 'keys', what: 'AGENT_KEY', in_force: 'key 0123456789abcdef', evidence: 'no key' };
  const answer = { policy_version: 3, compared: {}, not_checked: ['risk: sessions before the newest 50'] };
  const call = 'GET /admin/v1/audit/in-force';
  const changed = await examined({ [call]: { ...answer, agrees: false, differences: [difference] } });
  expect(changed).toMatchObject({
    code: 1,
    failed: 1,
    odd: [
      {
        check: 'in force',
        state: 'fail',
        found: 'keys: AGENT_KEY: in force: key 0123456789abcdef; evidence: no key',
        todo: expect.stringContaining('changed without the gateway'),
      },
    ],
  });
  await examined({ [call]: { ...answer, agrees: true, differences: [] } });
  const { out } = await home.run(['doctor']);
  expect(out).toContain('task manifests and credentials; not compared: risk: sessions before the newest 50');
});
