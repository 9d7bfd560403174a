/** What the configuration in force asks of the approval of a request that waits [approval.terms-now]. */
import type { FindCurrentTerms } from '#core/approvals/terms.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import type { TermsPorts } from './current-terms.ts';

/** Most requests were queued under the configuration in force, and are decided under it. */
const evaluating = lazyImport(() => import('./current-terms.ts'));

/** @throws GatewayError `payload_too_large`, `service_unavailable` where a worker decides large calls: then nothing is known. */
export const currentTermsFinder =
  (ports: TermsPorts, snapshot: Snapshot): FindCurrentTerms =>
  async (row) =>
    row.status !== 'pending' || row.policy_version === snapshot.version
      ? undefined
      : (await evaluating()).currentTerms(ports, snapshot, row);
