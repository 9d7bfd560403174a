/** Compares the active state in the store with evidence: versions, spending and counts [evidence.in-force]. */
import { namesOfRows, type RowPlace } from '#core/evidence/entry-text.ts';
import type { Operation } from '#core/operations/operation.ts';
import { actsIn } from './acts.ts';
import { compareBudgets } from './budgets.ts';
import type { Difference } from './compared.ts';
import { compareConfiguration } from './configuration.ts';
import { compareCredentials } from './credentials.ts';
import { compareDefinitions } from './definitions.ts';
import { compareSessions } from './sessions.ts';
import { compareTaskSheets } from './task-sheets.ts';

/**
 * Compares the active state. Configuration and MCP definitions concern all tenants; everything else concerns only the
 * caller's tenant.
 */
export const compareInForce: Operation = async (call) => {
  const rows = new Map<string, RowPlace>();
  const unreadable = (row: RowPlace) => void rows.set(`${row.session_id}#${row.index}`, row);
  const asked = { ...call, unreadable };
  const acts = actsIn(call.ports.evidence, unreadable);
  const compared = [
    await compareConfiguration(asked, acts),
    await compareBudgets(asked),
    await compareSessions(asked),
    await compareDefinitions(asked, acts),
    await compareTaskSheets(asked, acts),
    await compareCredentials(asked, acts),
  ];
  const differences = [...compared.flatMap((each) => each.differences), ...[...rows.values()].map(unreadableRow)];
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

const unreadableRow = (row: RowPlace): Difference => ({
  of: 'session',
  what: namesOfRows([row]),
  in_force: 'a row of its chain',
  evidence: 'the row cannot be read; `agentctl evidence verify` says why',
});
