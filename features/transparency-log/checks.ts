/** The `agentctl doctor` check that the log has a witness [cli.status]. */
import type { Api } from '#agentctl/client.ts';
import { type FeatureCheck, readOperation } from '#agentctl/doctor/check.ts';
import { type CheckResult, ok, warn } from '#agentctl/doctor/finding.ts';
import { list } from '#core/kernel/json-fields.ts';

export const checks: readonly FeatureCheck[] = [
  {
    after: 'evidence',
    name: 'log',
    run: witness,
    absent:
      'nothing until the first session is logged; on AWS, a deployment with transparencyLog=off keeps no log: deploy without that option if outsiders should witness it',
  },
];

async function witness(api: Api): Promise<CheckResult[]> {
  const seen = list((await readOperation(api, 'logCheckpoint')).cosigned).length;
  return [
    seen > 0
      ? ok(`the log is cosigned by ${seen} witnesses`)
      : warn('the log has no witness', 'run agentctl witness on a machine that others administer'),
  ];
}
