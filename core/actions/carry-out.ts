/**
 * An allowed action is carried out (spec §1, §3.1): scoped credential, executor, then the `result` entry. The decision
 * entry stands already; a crash in between leaves an executing approval whose lease ends as `unknown`.
 */

import type { ApprovalRow, ExecutionOutcome } from '#core/contracts/approval.ts';
import type { DecisionResult } from '#core/contracts/envelope.ts';
import { grantFor } from '#core/credentials/grants.ts';
import type { IssuedCredential } from '#core/credentials/ports.ts';
import type { Change } from '#core/evidence/ports.ts';
import { redact } from '#core/evidence/redact.ts';
import { asGatewayError, GatewayError, rpcCodes } from '#core/kernel/errors.ts';
import { answer } from './answers.ts';
import { resultDraft } from './entries.ts';
import type { Governed } from './govern.ts';
import type { GovernPorts } from './ports.ts';

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
  const done = await perform(ports, action);
  const written = done.credential !== undefined || done.outcome !== 'not_executed' || approvalId !== undefined;
  if (written) await recordOutcome(ports, action, done, approvalId);
  if (done.error && done.outcome === 'not_executed') throw done.error;

  const { credential } = done;
  return {
    ...answer(action),
    decision: 'allow',
    evidence_hash: evidenceHash,
    ...(credential && { credential: shown(ports, credential) }),
    ...(done.result !== undefined && { result: done.result }),
    ...(done.error && {
      error: { code: rpcCodes.upstreamFailed, message: done.error.message, data: { tool: action.envelope.tool } },
    }),
  };
}

/** Mints and executes. Every way out is an outcome; nothing is retried. */
async function perform(ports: GovernPorts, action: Governed): Promise<Outcome> {
  const { envelope, snapshot, decision } = action;
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
    const raw = await executor.execute(envelope, credential);
    const { value } = redact(raw, {
      sensitivePaths: snapshot.configuration.evidence.sensitive,
      randomHex: (n) => ports.ids.randomHex(n),
    });
    return { outcome: 'executed', ...minted, result: value };
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

async function recordOutcome(
  ports: GovernPorts,
  action: Governed,
  done: Outcome,
  approvalId: string | undefined,
): Promise<void> {
  const record = done.credential?.record;
  const draft = resultDraft(
    ports,
    action,
    approvalId,
    {
      outcome: done.outcome,
      ...(done.result !== undefined && { result: done.result }),
      ...(done.error && { error: done.error.message }),
    },
    record,
  );
  const changes: Change[] = [
    ...(record ? [{ type: 'credential.put', credential: record } as const] : []),
    ...(approvalId !== undefined ? [consume(action, approvalId, done)] : []),
  ];
  const outcome = await ports.ledger.commit({ draft, changes, head: action.head });
  if (!outcome.ok)
    throw new GatewayError('conflict', `The lease on approval ${approvalId} ended before the outcome was recorded.`);
}

/** Only the holder of the lease may record the outcome. */
function consume(action: Governed, id: string, done: Outcome): Change {
  const set: Partial<ApprovalRow> = {
    outcome: done.outcome,
    ...(done.result !== undefined && { result: done.result }),
  };
  return {
    type: 'approval.move',
    id,
    tenant: action.envelope.tenant,
    from: 'executing',
    to: 'consumed',
    set,
    where: { lease_owner: action.envelope.envelope_id },
  };
}

/** Type, scope and remaining life of a credential: all a caller ever sees of it. */
function shown(ports: GovernPorts, { record }: IssuedCredential) {
  const expires_in = Math.max(0, Math.round((Date.parse(record.expires_at) - ports.clock.now()) / 1000));
  return { type: record.type, scope: record.scope, expires_in };
}
