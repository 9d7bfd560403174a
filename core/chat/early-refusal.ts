/**
 * Records a call that is refused before the pipeline has determined its model: a malformed body, an unknown query
 * parameter, rejected tools. The call appears in the log, in evidence and in the request list [chat.refused-recorded].
 */

import { sessionOwner } from '#core/actions/governed.ts';
import { federatedActor, type Principal } from '#core/configuration/identity/principal.ts';
import type { ChatRecord } from '#core/contracts/chat.ts';
import { digestOf, sha256 } from '#core/kernel/canonical.ts';
import type { GatewayError } from '#core/kernel/errors.ts';
import { isFirstOfMinute } from '#core/kernel/first-of-minute.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { maskSecrets } from '#core/text/secrets/masked.ts';
import { askedModel } from './asked-model.ts';
import type { ChatPorts } from './ports.ts';

export interface EarlyRefusal {
  readonly operation: ChatRecord['operation'];
  readonly requestId: string;
  /** Absent if no caller was authenticated, in which case the entry would have no tenant. */
  readonly principal?: Principal | undefined;
  readonly sessionId?: string | undefined;
  readonly body?: JsonObject | undefined;
  readonly policyVersion: number;
  readonly fault: GatewayError;
}

/**
 * Maximum number of entries per key, minute and process. Such calls do not count towards limits, so their entries need
 * a limit of their own.
 */
const entriesPerMinute = 10;

/** Records the refusal. Never rejects; the caller receives the original error. */
export async function recordEarlyRefusal(ports: ChatPorts, refusal: EarlyRefusal): Promise<void> {
  const { fault, principal, requestId, operation } = refusal;
  if (fault.kind.status >= 500) return;
  ports.telemetry.log('info', 'chat refused', {
    request_id: requestId,
    operation,
    status: fault.kind.status,
    type: fault.code,
    ...(principal && { tenant: principal.tenant, key_id: principal.key_id }),
    reason: fault.message,
  });
  ports.telemetry.count('svc_chat_requests_total', { outcome: 'refused' });
  if (!principal || unrecorded.has(fault.code) || !mayWrite(principal.key_id, ports.clock.now())) return;
  try {
    await ports.ledger.commit({ draft: draftOf(ports, refusal, principal), owner: sessionOwner(principal) });
  } catch (thrown) {
    ports.telemetry.log('warn', 'a refusal was not recorded', {
      request_id: requestId,
      error: (thrown as Error).message,
    });
  }
}

/**
 * Errors without an entry: rate limits refuse calls without recording them (0017), and entries are not written to
 * another key's session.
 */
const unrecorded: ReadonlySet<string> = new Set(['rate_limit_error', 'authentication_error', 'forbidden']);

const mayWrite = (keyId: string, nowMs: number): boolean =>
  Array.from({ length: entriesPerMinute }, (_, at) => `refused-call-${at}`).some((rule) =>
    isFirstOfMinute(keyId, rule, nowMs),
  );

function draftOf({ clock, ids }: ChatPorts, refusal: EarlyRefusal, principal: Principal) {
  const { body, fault, operation, requestId, policyVersion } = refusal;
  const envelope_id = ids.uuid();
  const record: ChatRecord = {
    operation,
    decision: 'block',
    outcome: 'refused',
    status: fault.kind.status,
    error: fault.code,
    reason: maskSecrets(fault.message).slice(0, 500).toWellFormed(),
    model: askedModel(body),
    resolved_model: 'unknown',
    stream: body?.stream === true,
    transport: 'http',
    policy_version: policyVersion,
    usage: { input_tokens: 0, output_tokens: 0 },
    cost_microusd: 0,
    latency_ms: 0,
    request_id: requestId,
    request_sha256: body ? digestOf(body) : sha256(''),
  };
  return {
    tenant: principal.tenant,
    session_id: refusal.sessionId ?? `refused-${envelope_id}`,
    timestamp: isoTime(clock.now()),
    kind: 'chat' as const,
    envelope_id,
    actor: { key_id: principal.key_id, agent: principal.name, ...federatedActor(principal) },
    body: { ...record },
  };
}
