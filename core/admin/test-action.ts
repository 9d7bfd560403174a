/** `POST /admin/v1/test-action`: one action through the whole pipeline (spec §4.3, contract §3). */
import { govern } from '#core/actions/govern.ts';
import { actionRequestSchema } from '#core/contracts/envelope.ts';
import { resolveSession } from '#core/identity/sessions.ts';
import { type Call, type Operation, parsed } from './operation.ts';

export const testAction: Operation = async (call) => {
  const request = parsed(actionRequestSchema, call.body());
  const { ports, principal } = call;
  return { body: await govern(ports, principal, sessionOf(call, request.actor?.session), request) };
};

export function sessionOf({ ports, principal, header }: Call, body: string | undefined): string {
  const named = header('x-session-id');
  const { session_id } = resolveSession({
    ...(body !== undefined && { body }),
    ...(named !== undefined && { header: named }),
    keyId: principal.key_id,
    instanceId: ports.instanceId,
    now: ports.clock.now(),
  });
  return session_id;
}
