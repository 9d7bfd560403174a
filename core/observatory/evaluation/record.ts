/** Records an evaluator's score as evidence, from which analytics and the request log are projected. */
import type { EntryDraft } from '#core/contracts/evidence.ts';
import type { Ledger } from '#core/evidence/ports.ts';
import { type Clock, type Ids, isoTime } from '#core/kernel/ports.ts';
import type { EvaluationMessage } from './message.ts';
import type { Score } from './score.ts';

interface RecordPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly ledger: Ledger;
}

/** The scored call, as recorded in the entry's body. */
export interface ScoredCall {
  readonly request_id: string;
  readonly envelope_id: string;
  readonly session_id: string;
  /** Time and hash of the call's entry. */
  readonly at: string;
  readonly entry: string;
  readonly model: string;
  readonly provider: string | null;
}

export const scored = 'evaluation.scored';

/** Records a score. @throws GatewayError `service_unavailable` when the entry could not be written. */
export async function recordScore(
  { ledger, clock, ids }: RecordPorts,
  { at, message }: { readonly at: string; readonly message: EvaluationMessage },
  envelopeId: string,
  score: Score,
): Promise<void> {
  const timestamp = isoTime(clock.now());
  const { request_id, session_id, evidence_hash, model, provider, tenant } = message;
  const call: ScoredCall = {
    request_id,
    envelope_id: envelopeId,
    session_id,
    at,
    entry: evidence_hash,
    model,
    provider,
  };
  const draft: EntryDraft = {
    tenant,
    session_id: `admin-${tenant}-${timestamp.slice(0, 10)}`,
    timestamp,
    kind: 'admin',
    envelope_id: ids.uuid(),
    actor: { key_id: 'system' },
    body: { action: scored, call, ...score },
  };
  await ledger.commit({ draft });
}
