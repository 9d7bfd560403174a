/**
 * An allowed action is carried out (spec §1, §3.1): scoped credential, executor, then the `result` entry. The decision
 * entry stands already; a crash in between leaves an executing approval whose lease ends as `unknown`.
 */

import type { ExecutionOutcome } from '#core/contracts/approval.ts';
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { DecisionResult } from '#core/contracts/envelope.ts';
import { grantFor } from '#core/credentials/grants.ts';
import type { IssuedCredential } from '#core/credentials/ports.ts';
import type { Change } from '#core/evidence/ports.ts';
import { asGatewayError, GatewayError, rpcCodes } from '#core/kernel/errors.ts';
import { answer } from './answers.ts';
import { resultDraft, withholdOutcome } from './entries.ts';
import type { Governed } from './governed.ts';
import type { GovernPorts } from './ports.ts';

/** What is done once a call is allowed; `approvalId` names the approval whose lease it holds. */
export type CarryOut = (
  ports: GovernPorts,
  action: Governed,
  evidenceHash: string,
  approvalId?: string,
) => Promise<DecisionResult>;

interface Outcome {
  readonly outcome: ExecutionOutcome;
  readonly credential?: IssuedCredential;
  readonly result?: unknown;
  readonly error?: GatewayError;
}

/**
 * @param approvalId the approval whose lease this call holds; consumed with the outcome.
 * @throws GatewayError `service_unavailable` when no credential could be minted: nothing ran.
 */
export async function carryOut(
  ports: GovernPorts,
  action: Governed,
  evidenceHash: string,
  approvalId?: string,
): Promise<DecisionResult> {
  const { credential, error, outcome, result: raw } = await perform(ports, action);
  const safe = withholdOutcome(ports, action, {
    ...(raw !== undefined && { result: raw }),
    ...(error && { error: error.message }),
  });
  const done: Done = { outcome, ...safe.value, ...(credential && { record: credential.record }) };
  const written = error ?? credential ?? approvalId ?? (outcome !== 'not_executed' || undefined);
  if (written !== undefined) await recordOutcome(ports, action, done, approvalId, safe.changes);
  if (error && outcome === 'not_executed') throw error;

  const { result, error: message } = safe.value;
  return {
    ...answer(action),
    decision: 'allow',
    evidence_hash: evidenceHash,
    ...(credential && { credential: shown(ports, credential) }),
    ...(result !== undefined && { result }),
    ...(message !== undefined && {
      error: { code: rpcCodes.upstreamFailed, message, data: { tool: action.envelope.tool } },
    }),
  };
}

/** Mints and executes. Every way out is an outcome; nothing is retried. */
async function perform(ports: GovernPorts, action: Governed): Promise<Outcome> {
  const { envelope, decision } = action;
  const executor = ports.executors.find((candidate) => candidate.handles(envelope));
  let credential: IssuedCredential | undefined;
  try {
    credential = await mint(ports, action);
  } catch (thrown) {
    return { outcome: 'not_executed', error: asGatewayError(thrown) };
  }
  const minted = credential && { credential };
  if (!executor) return { outcome: 'not_executed', ...minted };
  try {
    return { outcome: 'executed', ...minted, result: await executor.execute(envelope, credential) };
  } catch (thrown) {
    const cause = thrown instanceof Error ? thrown.message : String(thrown);
    const error = new GatewayError('provider_error', `${envelope.tool} failed at ${executor.name}: ${cause}`, {
      cause: thrown,
    });
    ports.telemetry.log('warn', 'execution failed', { envelope_id: envelope.envelope_id, rule: decision.matched_rule });
    return { outcome: 'failed', ...minted, error };
  }
}

async function mint(ports: GovernPorts, action: Governed): Promise<IssuedCredential | undefined> {
  const { envelope, decision, snapshot } = action;
  const grant = grantFor(snapshot.configuration.credentials.grants, decision.rule?.credential, envelope);
  if (!grant) return undefined;
  const attributes = { credential_name: grant.broker, ttl: grant.ttl_seconds, scope: grant.scope };
  return ports.telemetry.span('credential.issue', attributes, async () => {
    const broker = await ports.brokers(grant.broker);
    if (!broker)
      throw new GatewayError(
        'service_unavailable',
        `Broker ${grant.broker} of the grant for ${envelope.tool} is not available.`,
      );
    return broker.issue(envelope, grant);
  });
}

/** What is written of an execution: outcome and provenance, nothing secret. */
interface Done {
  readonly outcome: ExecutionOutcome;
  readonly result?: unknown;
  readonly error?: string;
  readonly record?: CredentialRecord;
}

async function recordOutcome(
  ports: GovernPorts,
  action: Governed,
  { record, ...done }: Done,
  approvalId: string | undefined,
  salts: readonly Change[],
): Promise<void> {
  const changes: Change[] = [
    ...(record ? [{ type: 'credential.put', credential: record } as const] : []),
    ...(approvalId !== undefined ? [consume(action, approvalId, done)] : []),
    ...salts,
  ];
  const draft = resultDraft(ports, action, approvalId, done, record);
  const outcome = await ports.ledger.commit({ draft, changes, head: action.head });
  if (!outcome.ok) {
    throw new GatewayError('conflict', `The lease on approval ${approvalId} ended before the outcome was recorded.`);
  }
}

/** Only the holder of the lease may record the outcome. */
function consume({ envelope }: Governed, id: string, { outcome, result }: Done): Change {
  return {
    type: 'approval.move',
    id,
    tenant: envelope.tenant,
    from: 'executing',
    to: 'consumed',
    set: { outcome, ...(result !== undefined && { result }) },
    where: { lease_owner: envelope.envelope_id },
  };
}

/** Type, scope and remaining life of a credential: all a caller ever sees of it. */
function shown(ports: GovernPorts, { record }: IssuedCredential) {
  const expires_in = Math.max(0, Math.round((Date.parse(record.expires_at) - ports.clock.now()) / 1000));
  return { type: record.type, scope: record.scope, expires_in };
}
