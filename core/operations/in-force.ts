/** Compares the state in force in the store with evidence: versions, spending and counts [evidence.in-force]. */
import { actsIn } from './in-force/acts.ts';
import { compareBudgets } from './in-force/budgets.ts';
import { compareConfiguration } from './in-force/configuration.ts';
import { compareCredentials } from './in-force/credentials.ts';
import { compareDefinitions } from './in-force/definitions.ts';
import { compareSessions } from './in-force/sessions.ts';
import { compareTaskSheets } from './in-force/task-sheets.ts';
import type { Operation } from './operation.ts';

/** Compares the state in force. Configuration and MCP definitions concern all tenants, the rest the caller's tenant. */
export const compareInForce: Operation = async (call) => {
  const acts = actsIn(call.ports.evidence);
  const compared = [
    await compareConfiguration(call, acts),
    await compareBudgets(call),
    await compareSessions(call),
    await compareDefinitions(call, acts),
    await compareTaskSheets(call, acts),
    await compareCredentials(call, acts),
  ];
  const differences = compared.flatMap((each) => each.differences);
  return {
    body: {
      agrees: differences.length === 0,
      policy_version: call.snapshot.version,
      compared: Object.assign({}, ...compared.map(({ counts }) => counts)) as Record<string, number>,
      differences,
      not_checked: compared.flatMap(({ notChecked }) => notChecked),
    },
  };
};
