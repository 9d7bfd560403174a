/** `POST /admin/v1/test-action`: one action through the whole pipeline. */
import { govern } from '#core/actions/govern.ts';
import { actionRequestSchema } from '#core/contracts/envelope.ts';
import { idempotencyKeyPattern } from '#core/contracts/started-action.ts';
import { resolveSession } from '#core/identity/sessions.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { type Call, type Operation, parsed } from './operation.ts';

export const testAction: Operation = async (call) => {
  const request = parsed(actionRequestSchema, call.body());
  const { ports, principal, endsAtMs: hostEndsAtMs } = call;
  const governed = { ...request, hostEndsAtMs, idempotencyKey: idempotencyKeyOf(call) };
  return { body: await govern(ports, principal, sessionOf(call, request.actor?.session), governed) };
};

/** @throws GatewayError `invalid_request` for a key that is empty, too long or not visible ASCII. */
function idempotencyKeyOf({ header }: Call): string | undefined {
  const key = header('idempotency-key');
  if (key === undefined || idempotencyKeyPattern.test(key)) return key;
  throw invalidRequest(
    `Idempotency-Key has ${key.length} characters or holds other than visible ASCII; send 1 to 255 visible ASCII characters.`,
  );
}

export function sessionOf({ ports, principal, header }: Call, body: string | undefined): string {
  const named = header('x-session-id');
  const { session_id } = resolveSession({
    ...(body !== undefined && { body }),
    ...(named !== undefined && { header: named }),
    keyId: principal.key_id,
    unnamedSessions: ports.unnamedSessions,
    now: ports.clock.now(),
  });
  return session_id;
}
