/** Closes started actions whose function ended without an outcome, so that every `allow` entry gets a `result`. */
import type { StartedAction } from '#core/contracts/started-action.ts';
import type { Ledger } from '#core/evidence/ports.ts';
import { type Clock, isoTime, type Telemetry } from '#core/kernel/ports.ts';
import type { StartedActions } from './ports.ts';

interface SweepPorts {
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly startedActions: Pick<StartedActions, 'due'>;
  readonly telemetry: Pick<Telemetry, 'log'>;
}

const pageSize = 100;
const maxPages = 20;

/**
 * Records `unknown` for abandoned actions [action.decision-before-effect]. Safe to run concurrently. If an action
 * cannot be closed, the failure is logged, the others are still closed, and the next run retries it [store.sweep].
 * @param dueBefore closes actions due at or before this ISO time; default: now.
 * @returns the number of closed actions.
 */
export async function closeAbandonedActions(ports: SweepPorts, dueBefore?: string): Promise<number> {
  let closed = 0;
  const seen = new Set<string>();
  let failed = 0;
  for (let page = 0; page < maxPages; page++) {
    // Actions that failed come first on the next read, so the page is enlarged by their number.
    const due = await ports.startedActions.due(dueBefore ?? isoTime(ports.clock.now()), pageSize + failed);
    const fresh = due.filter(({ tenant, id }) => !seen.has(`${tenant}#${id}`));
    if (fresh.length === 0) return closed;
    for (const row of fresh) {
      seen.add(`${row.tenant}#${row.id}`);
      try {
        if (await close(ports, row)) closed++;
      } catch (fault) {
        failed++;
        const error = (fault as Error).message;
        ports.telemetry.log('error', 'a started action was not closed', { envelope_id: row.envelope_id, error });
      }
    }
  }
  return closed;
}

const reason = 'the function that carried it out ended without recording an outcome';

async function close(ports: SweepPorts, row: StartedAction): Promise<boolean> {
  const { tenant, id, session_id, envelope_id, tool } = row;
  const outcome = await ports.ledger.commit({
    draft: {
      tenant,
      session_id,
      envelope_id,
      timestamp: isoTime(ports.clock.now()),
      kind: 'result',
      actor: { key_id: 'system' },
      body: { tool, outcome: 'unknown', reason },
    },
    changes: [
      { type: 'action.end', tenant, id, envelope_id, end: { outcome: 'unknown', error: `${tool}: ${reason}.` } },
    ],
  });
  return outcome.ok;
}
