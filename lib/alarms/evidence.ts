/**
 * Alarms on contradictory evidence and disabled guards. They count facts rather than failures, and even the first one
 * matters, so their threshold is 1.
 */
import type { AlarmInputs, AlarmRow } from './alarm.ts';
import { fiveMinutes } from './alarm.ts';

export const evidenceAlarms = ({ own }: AlarmInputs): AlarmRow[] => [
  {
    name: 'chains-contradicted',
    runbook: 'chains-contradicted',
    severity: 'page',
    metric: own.chainsContradicted.with({ period: fiveMinutes }),
    threshold: 1,
  },
  {
    name: 'approvals-unproven',
    runbook: 'approvals-unproven',
    severity: 'page',
    metric: own.unprovenApprovals.with({ period: fiveMinutes }),
    threshold: 1,
  },
  {
    name: 'archive-missing',
    runbook: 'archive-missing',
    severity: 'ticket',
    metric: own.missingArchiveEntries,
    threshold: 1,
  },
  {
    name: 'guards-disabled',
    runbook: 'guards-disabled',
    severity: 'ticket',
    periods: [3, 3],
    metric: own.guardsDisabled.with({ period: fiveMinutes }),
    threshold: 1,
  },
];
