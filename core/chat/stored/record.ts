/** Records an operation on a file, batch or response as an evidence entry without content [batches.governed]. */
import { sessionOwner } from '#core/actions/governed.ts';
import { federatedActor, type Principal } from '#core/configuration/identity/principal.ts';
import { assertSessionOwner } from '#core/configuration/identity/sessions.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { ChatOperation, ChatRecord, Finding } from '#core/contracts/chat.ts';
import type { StoredObject } from '#core/contracts/stored-batch.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { asGatewayError } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { blockedBy, sessionBlocked } from '#core/session/risk/assess.ts';
import type { ChatPorts } from '../ports.ts';

export interface StoredCaller {
  readonly principal: Principal;
  readonly snapshot: Snapshot;
  readonly sessionId: string;
  readonly requestId: string;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

interface Use {
  readonly operation: ChatOperation;
  /** Id as the caller sent it. */
  readonly id: string;
  readonly stored: StoredObject;
  /**
   * Set if the operation changes stored objects at the provider: its start is then also recorded, so that a crash
   * leaves a trace.
   */
  readonly changes?: true;
}

interface StoredAnswer<T> {
  readonly answer: T;
  readonly findings?: readonly Finding[];
  /** Model that the results name but that was not requested [budget.served]. */
  readonly replied_model?: string | undefined;
}

/**
 * Runs `work` and records it before its result is sent.
 * @throws GatewayError `forbidden` for another key's session, before `work` runs.
 */
export async function runAndRecord<T>(
  ports: ChatPorts,
  caller: StoredCaller,
  use: Use,
  work: () => Promise<StoredAnswer<T>>,
): Promise<T> {
  const { principal, sessionId } = caller;
  const startedMs = ports.clock.now();
  const head = await ports.evidence.head(principal.tenant, sessionId);
  assertSessionOwner(head, principal);
  const envelopeId = ports.ids.uuid();
  let known: { readonly head?: SessionHead | null } = { head: head ?? null };
  const write = async (over: Partial<ChatRecord>) => {
    const record = { ...recordOf(caller, use, ports.clock.now() - startedMs), ...over };
    const draft = draftOf(ports, caller, envelopeId, record);
    await ports.ledger.commit({ draft, ...known, owner: sessionOwner(principal) });
    known = {}; // the head has moved
  };
  if (use.changes) await write({ outcome: 'begun' });
  let done: StoredAnswer<T>;
  try {
    done = await work();
  } catch (thrown) {
    const { code, kind } = asGatewayError(thrown);
    await write({ outcome: 'failed', status: kind.status, error: code });
    throw thrown;
  }
  const { findings = [], replied_model } = done;
  await write({ ...(findings.length > 0 && { findings }), ...(replied_model !== undefined && { replied_model }) });
  return done.answer;
}

/**
 * Refuses reads by a blocked session or key; their objects stay at the provider.
 * @throws GatewayError `session_blocked`
 */
export async function assertMayRead(ports: ChatPorts, { principal, snapshot, sessionId }: StoredCaller): Promise<void> {
  const { tenant, key_id, kind } = principal;
  const [head, key] = await Promise.all([
    ports.evidence.head(tenant, sessionId),
    kind === 'agent' ? ports.keyRisks.of(tenant, key_id) : undefined,
  ]);
  const standing = { session: head?.risk, key };
  const stopped = blockedBy(snapshot.configuration.behavior, standing, ports.clock.now());
  if (stopped) throw sessionBlocked(stopped);
}

const recordOf = (
  { snapshot, requestId }: StoredCaller,
  { operation, id, stored }: Use,
  latency_ms: number,
): ChatRecord => ({
  operation,
  decision: 'allow',
  outcome: 'completed',
  status: 200,
  model: stored.model,
  resolved_model: stored.resolved_model,
  provider: stored.provider,
  resource: id,
  stream: false,
  transport: 'http',
  policy_version: snapshot.version,
  usage: { input_tokens: 0, output_tokens: 0 },
  cost_microusd: 0,
  latency_ms: Math.max(0, latency_ms),
  request_id: requestId,
  request_sha256: digestOf([operation, id]),
});

function draftOf(
  { clock }: ChatPorts,
  { principal, sessionId }: StoredCaller,
  envelope_id: string,
  record: ChatRecord,
) {
  return {
    tenant: principal.tenant,
    session_id: sessionId,
    timestamp: isoTime(clock.now()),
    kind: 'chat' as const,
    envelope_id,
    actor: { key_id: principal.key_id, agent: principal.name, ...federatedActor(principal) },
    body: { ...record },
  };
}
