/**
 * Chains whose rows contradict their checkpoint, their archived copies or the entries that the gateway wrote. Each
 * contradiction is raised once, and can be raised again after a verification has found the chain consistent
 * [evidence.contradicted].
 */
import { type Clock, isoTime, type Telemetry } from '#core/kernel/ports.ts';

export interface ChainPlace {
  readonly tenant: string;
  readonly session_id: string;
  readonly index: number;
}

export interface Contradiction extends ChainPlace {
  readonly found_at: string;
  readonly reason: string;
}

export interface ContradictionStore {
  /**
   * @returns false if the chain already has a contradiction, which stays stored. @throws GatewayError
   * `service_unavailable`
   */
  put(row: Contradiction): Promise<boolean>;
  /** Lists at most `limit` of a tenant's rows, by session. */
  list(tenant: string, limit: number): Promise<readonly Contradiction[]>;
  /** Returns the rows of these sessions, regardless of how many rows the tenant has. */
  ofSessions(tenant: string, sessions: readonly string[]): Promise<readonly Contradiction[]>;
  remove(row: Contradiction): Promise<void>;
}

export interface ContradictionPorts {
  readonly clock: Clock;
  readonly contradictions: Pick<ContradictionStore, 'put'>;
  readonly telemetry: Pick<Telemetry, 'count' | 'log'>;
}

const reasonCharacters = 300;

/** Raises and counts a contradiction for a chain that does not have one yet. */
export async function raiseContradiction(
  { clock, contradictions, telemetry }: ContradictionPorts,
  { tenant, session_id, index }: ChainPlace,
  found: string,
): Promise<void> {
  const reason = found.slice(0, reasonCharacters).toWellFormed();
  const row = { tenant, session_id, index, found_at: isoTime(clock.now()), reason };
  if (!(await contradictions.put(row))) return;
  telemetry.count('svc_chains_contradicted_total', {});
  telemetry.log('error', 'a chain contradicts its evidence', row);
}

/**
 * Describes contradicted chains, of which there is at least one, for health, status and alerts.
 * @param atMost maximum number of rows listed; if it is reached, there may be others.
 */
export function contradictedInWords([first, ...others]: readonly Contradiction[], atMost: number): string {
  const { tenant, session_id, index, reason } = first!;
  const least = others.length + 1 >= atMost ? 'At least ' : '';
  const more = others.length > 0 ? ` ${least}${others.length} more chains do, too.` : '';
  return `tenant:${tenant}: session ${session_id} contradicts its evidence at entry ${index}: ${reason}.${more} Run \`agentctl evidence verify --session ${session_id}\`; \`agentctl archive repair --tenant ${tenant} --session ${session_id}\` ends this once the chain is restored.`;
}
