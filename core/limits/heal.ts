/**
 * Heals reservations whose call ended without settling them: a killed process, a lost store. None leaks,
 * none is charged twice.
 */
import type { ChatRecord } from '#core/contracts/chat.ts';
import type { EvidenceLog } from '#core/evidence/ports.ts';
import { asGatewayError } from '#core/kernel/errors.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import { callOfReservation } from './key-counters.ts';
import { tenantOfCounters } from './limits-of-key.ts';
import type { Counters, OpenReservation, Settlement } from './ports.ts';

interface HealPorts {
  readonly counters: Counters;
  readonly evidence: EvidenceLog;
  readonly telemetry: Telemetry;
}

/**
 * Settles what expired: from its evidence entry if there is one, in full if the provider was being called, else nothing.
 * Also gives idle slices of global budgets back. Counters of keys are healed like those of tenants. Two at once do no harm; one tenant's failure does not stop the others.
 * @returns how many reservations were healed.
 */
export async function healReservations(ports: HealPorts, tenants: Iterable<string>): Promise<number> {
  let healed = 0;
  for (const tenant of tenants) {
    const expired = await attempted(ports, tenant, () => ports.counters.expired(tenant));
    for (const reservation of expired ?? []) {
      if (await attempted(ports, tenant, () => heal(ports, reservation))) healed++;
    }
    await attempted(ports, tenant, () => ports.counters.reclaim(tenant));
  }
  return healed;
}

/** What fails is left as it is: the next sweep tries again. */
async function attempted<T>(ports: HealPorts, tenant: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (thrown) {
    const error = asGatewayError(thrown).message;
    ports.telemetry.log('error', 'the counters of a tenant could not be healed', { tenant, error });
    return undefined;
  }
}

async function heal(ports: HealPorts, reservation: OpenReservation): Promise<true> {
  const record = await recordOf(ports.evidence, reservation);
  const { tenant, id, begun, lease_expires_at } = reservation;
  const settlement = record ? settlementOf(record) : withoutRecord(reservation);
  await ports.counters.settle(tenant, id, { ...settlement, lease_expires_at });
  const how = record ? 'from its evidence' : begun ? 'in full' : 'released';
  ports.telemetry.log('warn', 'an expired reservation was settled', { tenant, envelope_id: id, how });
  return true;
}

/** Its entry stands where the session's chain ended when the call came in, or later. */
async function recordOf(evidence: EvidenceLog, reservation: OpenReservation): Promise<ChatRecord | undefined> {
  const { session_id, from_index } = reservation;
  const [tenant, id] = [tenantOfCounters(reservation.tenant), callOfReservation(reservation.id)];
  for await (const entry of evidence.entries(tenant, session_id, from_index)) {
    if (entry.kind === 'chat' && entry.envelope_id === id) return entry.body as unknown as ChatRecord;
  }
  return undefined;
}

/** Every token that was billed counts, whether it came from the provider's cache or not. */
export function settlementOf({ usage, cost_microusd }: Pick<ChatRecord, 'usage' | 'cost_microusd'>): Settlement {
  const { input_tokens, output_tokens, cache_read_tokens = 0, cache_write_tokens = 0 } = usage;
  return {
    tokens: input_tokens + output_tokens + cache_read_tokens + cache_write_tokens,
    cost_microusd,
    counted: true,
  };
}

/** What the provider did is unknown: what was reserved is the most it may come to. */
const withoutRecord = ({ begun, tokens, cost_microusd }: OpenReservation): Settlement =>
  begun ? { tokens, cost_microusd, counted: true } : { tokens: 0, cost_microusd: 0, counted: false };
