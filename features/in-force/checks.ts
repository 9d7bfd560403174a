/** `doctor` checks that compare the active state with evidence. */
import type { Api } from '#agentctl/client.ts';
import { type FeatureCheck, otherRelease, readOperation } from '#agentctl/doctor/check.ts';
import { type CheckResult, fail, ok } from '#agentctl/doctor/finding.ts';
import { list } from '#core/kernel/json-fields.ts';

export const checks: readonly FeatureCheck[] = [
  { after: 'evidence', name: 'in force', run: inForce, absent: otherRelease },
];

async function inForce(api: Api): Promise<CheckResult[]> {
  const { agrees, policy_version, differences, not_checked } = await readOperation(api, 'compareInForce');
  if (agrees === true) {
    const open = Array.isArray(not_checked) ? not_checked.map(String) : [];
    const rest = open.length > 0 ? `; not compared: ${open.join('; ')}` : '';
    return [
      ok(
        `version ${policy_version} matches the evidence, with its keys, budgets, risk, tool definitions, task manifests and credentials${rest}`,
      ),
    ];
  }
  return list(differences).map(({ of, what, in_force, evidence: said }) =>
    fail(
      `${of}: ${what}: in force: ${in_force}; evidence: ${said}`,
      'repeat the check; if the difference remains, a row of the store was changed without the gateway: store the configuration again, and check who can write to the tables',
    ),
  );
}
