/** Closes started actions whose function ended without an outcome: an `allow` entry is never left without a `result`. */
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
 * Records `unknown` for what was started and is over [action.no-allow-without-end]. Safe to run twice at once.
 * One that cannot be closed is logged and looked at again by the next run; it does not keep the others open [store.sweep].
 * @param dueBefore those due at or before this ISO time; now by default.
 * @returns how many were closed.
 */
export async function closeAbandonedActions(ports: SweepPorts, dueBefore?: string): Promise<number> {
  let closed = 0;
  const seen = new Set<string>();
  let failed = 0;
  for (let page = 0; page < maxPages; page++) {
    // Those that failed are still the longest due: the page reaches beyond them.
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
