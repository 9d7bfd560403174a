/** What the configuration in force asks of the approval of a request that waits [approval.terms-now]. */
import type { FindCurrentTerms } from '#core/approvals/terms.ts';
import { recall } from '#core/configuration/identity/federation/recall.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import type { TermsPorts } from './current-terms.ts';

/** Most requests were queued under the configuration in force, and are decided under it. */
const evaluating = lazyImport(() => import('./current-terms.ts'));

/** @throws GatewayError `payload_too_large`, `service_unavailable` where a worker decides large calls: then nothing is known. */
export const currentTermsFinder =
  (ports: TermsPorts, snapshot: Snapshot): FindCurrentTerms =>
  async (row) => {
    if (row.status !== 'pending') return undefined;
    const { version } = snapshot;
    const terms =
      row.policy_version === version ? undefined : await (await evaluating()).currentTerms(ports, snapshot, row);
    if (await recall(snapshot, row.key_id, row.federated)) return terms;
    return { ...(terms ?? { version, requires: [], require_passkey: false }), obstacle: keyTakenBack };
  };

const keyTakenBack = 'The key of this call was taken back since it was asked. An approval does not let the call run.';
