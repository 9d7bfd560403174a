/**
 * Checks stored objects when they are read: the caller must still be allowed to use the model, and the current output
 * policy applies.
 */

import type { Finding } from '#core/contracts/chat.ts';
import type { StoredObject } from '#core/contracts/stored-batch.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { contentPolicyOf } from '#core/models/content-policy/policy-of.ts';
import type { TextSlot } from '#core/models/dialects/dialect.ts';
import { type ChatCall, openCall } from '../call.ts';
import type { ChatPorts } from '../ports.ts';
import type { StoredCaller } from './record.ts';

/**
 * Returns a chat call that represents the read.
 * @throws GatewayError `model_not_allowed`, or another refusal of such a call.
 */
export function readingCall(ports: ChatPorts, caller: StoredCaller, id: string, { model }: StoredObject): ChatCall {
  const { snapshot, principal, sessionId, requestId, signal } = caller;
  const body = { model, messages: [{ role: 'user', content: id }] };
  const call = openCall(
    snapshot,
    { dialect: 'openai', body, principal, sessionId, requestId, transport: 'http', passed: {}, signal },
    ports.ids.uuid(),
  );
  if (call.refusal) throw call.refusal;
  return call;
}

/** Checks text slots and filters them in place. @throws GatewayError `policy_violation` */
export async function checkOutput(
  ports: ChatPorts,
  { snapshot }: Pick<StoredCaller, 'snapshot'>,
  { tenant, resolved_model, provider }: StoredObject,
  texts: () => readonly TextSlot[],
): Promise<readonly Finding[]> {
  const policy = await contentPolicyOf(snapshot.configuration, tenant, ports);
  if (policy.outputIdle) return [];
  const verdict = await policy.checkOutput(texts(), { tenant_id: tenant, model: resolved_model, provider });
  if (verdict.decision === 'allow') return verdict.findings;
  const name = verdict.matched_rule?.replace(/^content:/, '') ?? 'content policy';
  throw new GatewayError('policy_violation', `The reply is blocked by policy ${name}.`, {
    data: { policy: name, phase: 'output' },
  });
}

/** Checks that a list position is formatted as an id. @throws GatewayError `invalid_request` */
export function assertPlace(after: string | undefined, isId: (id: string) => boolean): void {
  if (after === undefined || isId(after)) return;
  throw invalidRequest(`after is ${JSON.stringify(after.slice(0, 64))}; it must be the last id of the previous page.`);
}
