/** What the store has in force, compared with what evidence says was put in force, spent and counted [evidence.in-force]. */
import { compareBudgets } from './in-force/budgets.ts';
import { compareConfiguration } from './in-force/configuration.ts';
import { compareRisk } from './in-force/risk.ts';
import type { Operation } from './operation.ts';

/** Budgets and risk are those of the caller's tenant; the configuration is of all. */
export const compareInForce: Operation = async (call) => {
  const compared = [await compareConfiguration(call), await compareBudgets(call), await compareRisk(call)];
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
