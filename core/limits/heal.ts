/**
 * Settles reservations whose call ended without settling them, for example because its process was killed. No
 * reservation leaks, and no call is charged twice.
 */
import type { ChatRecord } from '#core/contracts/chat.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { UnreadableEntry } from '#core/evidence/entry-text.ts';
import type { EvidenceLog, Ledger } from '#core/evidence/ports.ts';
import { asGatewayError } from '#core/kernel/errors.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { type Clock, isoTime, type Telemetry } from '#core/kernel/ports.ts';
import { callOfReservation } from './key-counters.ts';
import { tenantOfCounters } from './limits-of-key.ts';
import type { Counters, OpenReservation, ReservedCall, Settlement } from './ports.ts';

interface HealPorts {
  readonly clock: Clock;
  readonly counters: Counters;
  readonly evidence: EvidenceLog;
  readonly ledger: Ledger;
  readonly telemetry: Telemetry;
}

/**
 * Settles expired reservations: from the evidence entry if there is one, in full if the provider had been called, and
 * otherwise at zero. If a call is charged in full, its entry is written first [chat.killed]. Idle slices of global
 * budgets are also returned. Key counters are healed like those of tenants. Two runs may overlap, and a failure in one
 * tenant does not stop the others.
 * @param untilMs leases that end before this time (epoch) count as ended. Defaults to the current time.
 * @returns the number of healed reservations.
 */
export async function healReservations(ports: HealPorts, tenants: Iterable<string>, untilMs?: number): Promise<number> {
  let healed = 0;
  for (const tenant of tenants) {
    const expired = await tryHeal(ports, tenant, () => ports.counters.expired(tenant, untilMs));
    for (const reservation of expired ?? []) {
      if (await tryHeal(ports, tenant, () => heal(ports, reservation))) healed++;
    }
    await tryHeal(ports, tenant, () => ports.counters.reclaim(tenant));
  }
  return healed;
}

/** Logs a failure and continues, because the next sweep tries again. */
async function tryHeal<T>(ports: HealPorts, tenant: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (thrown) {
    const error = asGatewayError(thrown).message;
    ports.telemetry.log('error', 'the counters of a tenant could not be healed', { tenant, error });
    return undefined;
  }
}

async function heal(ports: HealPorts, reservation: OpenReservation): Promise<true> {
  const { tenant, id, begun, lease_expires_at } = reservation;
  const { record, unreadable } = await recordOf(ports.evidence, reservation);
  if (!record && begun && reservation.call) await recordKilled(ports, reservation, reservation.call);
  // An unreadable row may be the call's record.
  const settlement = record ? settlementOf(record) : withoutRecord({ ...reservation, begun: begun || unreadable > 0 });
  await ports.counters.settle(tenant, id, { ...settlement, lease_expires_at });
  const how = record ? 'from its evidence' : settlement.counted ? 'in full' : 'released';
  ports.telemetry.log('warn', 'expired reservation settled', { tenant, envelope_id: id, how });
  return true;
}

/** Finds a call's entry. It is at or after the index at which the session's chain ended when the call came in. */
async function recordOf(
  evidence: EvidenceLog,
  reservation: OpenReservation,
): Promise<{ readonly record?: ChatRecord; readonly unreadable: number }> {
  const { session_id, from_index } = reservation;
  let unreadable = 0;
  const [tenant, id] = [tenantOfCounters(reservation.tenant), callOfReservation(reservation.id)];
  for await (const entry of evidence.rows(tenant, session_id, from_index)) {
    if (entry instanceof UnreadableEntry) unreadable++;
    else if (entry.kind !== 'chat' || entry.envelope_id !== id) continue;
    else if (isSettled(entry.body)) return { record: entry.body as unknown as ChatRecord, unreadable };
    else unreadable++;
  }
  return { unreadable };
}

/** Checks the members of a record that a settlement uses. */
function isSettled({ usage, cost_microusd }: EvidenceEntry['body']): boolean {
  const tokens = isObject(usage) ? [usage.input_tokens, usage.output_tokens] : [undefined];
  return [cost_microusd, ...tokens].every((each) => typeof each === 'number' && Number.isFinite(each) && each >= 0);
}

/** Status for a caller whose connection broke. */
const killedStatus = 499;
const unknownOutcome = 'the process ended during the call; what the provider did is unknown';

/**
 * Records a call whose process ended during the provider call, and charges it at the reserved amount. The action row is
 * committed with the entry, so that only one of two concurrent sweeps writes it.
 */
async function recordKilled(ports: HealPorts, reservation: OpenReservation, call: ReservedCall): Promise<void> {
  const { session_id, cost_microusd, tokens, lasted_ms } = reservation;
  const [tenant, envelope_id] = [tenantOfCounters(reservation.tenant), callOfReservation(reservation.id)];
  const { key_id, agent, input_tokens, operation, model, resolved_model, stream, transport } = call;
  const { policy_version, request_id } = call;
  const at = isoTime(ports.clock.now());
  const body: ChatRecord = {
    operation,
    decision: 'allow',
    outcome: 'aborted',
    status: killedStatus,
    error: 'process_ended',
    reason: unknownOutcome,
    model,
    resolved_model,
    stream,
    transport,
    policy_version,
    usage: { input_tokens, output_tokens: Math.max(0, tokens - input_tokens) },
    cost_microusd,
    cost_estimated: true,
    latency_ms: lasted_ms,
    request_id,
    request_sha256: '',
  };
  const step: Parameters<Ledger['commit']>[0] = {
    draft: {
      tenant,
      session_id,
      envelope_id,
      timestamp: at,
      kind: 'chat',
      actor: { key_id, agent },
      body: { ...body },
    },
    changes: [
      {
        type: 'action.start',
        action: {
          tenant,
          id: `chat#${envelope_id}`,
          envelope_id,
          session_id,
          key_id,
          tool: operation,
          call_digest: '',
          matched_rule: '',
          policy: '',
          policy_version,
          started_at: at,
          outcome: 'unknown',
        },
      },
    ],
  };
  const owner = call.owns_session ? key_id : undefined;
  // If another key has opened the session since then, the entry still belongs to it.
  await ports.ledger.commit({ ...step, owner }).catch((thrown: unknown) => {
    if (asGatewayError(thrown).code !== 'forbidden') throw thrown;
    return ports.ledger.commit(step);
  });
}

/** Returns the settlement for a recorded call. All billed tokens count, including those from the provider's cache. */
export function settlementOf({ usage, cost_microusd }: Pick<ChatRecord, 'usage' | 'cost_microusd'>): Settlement {
  const { input_tokens, output_tokens, cache_read_tokens = 0, cache_write_tokens = 0 } = usage;
  return {
    tokens: input_tokens + output_tokens + cache_read_tokens + cache_write_tokens,
    cost_microusd,
    counted: true,
  };
}

/**
 * Settles a call that has no record. If the provider was called, the outcome is unknown, so the reserved maximum is
 * charged.
 */
const withoutRecord = ({ begun, tokens, cost_microusd }: OpenReservation): Settlement =>
  begun ? { tokens, cost_microusd, counted: true } : { tokens: 0, cost_microusd: 0, counted: false };
