/** `POST /v1/actions` and `/admin/v1/test-action`, which run one action through the whole governance pipeline. */
import { decideOnly } from '#core/actions/decide-only.ts';
import { govern } from '#core/actions/govern.ts';
import { waitingOver } from '#core/actions/wait.ts';
import { resolveSession } from '#core/configuration/identity/sessions.ts';
import type { ActionRequest } from '#core/contracts/envelope.ts';
import { envelopeSchemas } from '#core/contracts/lazy-envelope-schema.ts';
import { idempotencyKeyPattern } from '#core/contracts/started-action.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { type Call, type Operation, parseBySchema } from './operation.ts';

export const testAction: Operation = async (call) => {
  const { actionRequestSchema } = await envelopeSchemas();
  const request = parseBySchema(actionRequestSchema, call.body());
  const { ports, principal, snapshot, endsAtMs: hostEndsAtMs } = call;
  const governed = { ...request, hostEndsAtMs, idempotencyKey: idempotencyKeyOf(call) };
  const session = sessionOf(call, request.actor?.session);
  if (request.call_id !== undefined && !request.decide_only)
    throw invalidRequest(
      'call_id was sent without decide_only: the gateway records the outcome of what it executes. Leave it out.',
    );
  const held = waitingOver(snapshot.configuration.approvals, true, () => call.signal?.aborted === true);
  if (!request.decide_only) return { body: await govern(ports, principal, session, governed, { wait: held }) };
  await assertDecidable(call, request);
  return {
    body: await govern(ports, principal, session, { ...governed, placement: null }, { carry: decideOnly, wait: held }),
  };
};

/** Records the outcome of a decide-only call, as reported by its caller [action.decide-only]. */
export const reportOutcome: Operation = async (call) => {
  const [{ reportedOutcome }, { outcomeRequestSchema }] = await Promise.all([
    import('#core/actions/reported-outcome.ts'),
    import('#core/contracts/reported-outcome.ts'),
  ]);
  const body = await reportedOutcome(call.ports, call.principal, parseBySchema(outcomeRequestSchema, call.body()));
  return { status: 201, body };
};

/**
 * Checks that a decide-only call cannot also be executed here [action.decide-only].
 * @throws GatewayError `invalid_request` for a call with an upstream, or if the configuration executes approved calls.
 */
async function assertDecidable({ ports }: Call, { upstream }: ActionRequest): Promise<void> {
  if (upstream !== undefined)
    throw invalidRequest(
      'decide_only was sent with upstream; with decide_only, the gateway calls no upstream. Leave one of them out.',
    );
  const { configuration } = await ports.snapshots.current();
  if (configuration.approvals.on_approval === 'execute')
    throw invalidRequest(
      'decide_only needs approvals.on_approval: release; this configuration has execute, so the gateway would carry out an approved call a second time.',
    );
}

/**
 * Returns the idempotency key.
 * @throws GatewayError `invalid_request` for a key that is empty, too long or not visible ASCII.
 */
function idempotencyKeyOf({ header }: Call): string | undefined {
  const key = header('idempotency-key');
  if (key === undefined || idempotencyKeyPattern.test(key)) return key;
  throw invalidRequest(
    `Idempotency-Key has ${key.length} characters or contains characters other than visible ASCII; send 1 to 255 visible ASCII characters.`,
  );
}

function sessionOf({ ports, principal, header }: Call, body: string | undefined): string {
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
