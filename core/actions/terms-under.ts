/** What the configuration in force asks of the approval of a request that waits [approval.terms-now]. */
import type { AsksTermsNow } from '#core/approvals/terms.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import { loadedOnce } from '#core/kernel/loaded-once.ts';
import type { TermsPorts } from './terms-now.ts';

/** Most requests were queued under the configuration in force, and are decided under it. */
const evaluating = loadedOnce(() => import('./terms-now.ts'));

/** @throws GatewayError `payload_too_large`, `service_unavailable` where a worker decides large calls: then nothing is known. */
export const termsUnder =
  (ports: TermsPorts, snapshot: Snapshot): AsksTermsNow =>
  async (row) =>
    row.status !== 'pending' || row.policy_version === snapshot.version
      ? undefined
      : (await evaluating()).termsNow(ports, snapshot, row);
