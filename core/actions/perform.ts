/** Mints an allowed action's credential and executes the action, which must finish before its host function ends. */
import { federatedActor } from '#core/configuration/identity/principal.ts';
import type { ExecutionOutcome } from '#core/contracts/approval.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { grantFor } from '#core/execution/credentials/grants.ts';
import type { IssuedCredential } from '#core/execution/credentials/ports.ts';
import { recordMint, recordUse } from '#core/execution/credentials/registry.ts';
import { effectOf, isUpstreamDown, UpstreamError } from '#core/execution/executors/fault.ts';
import type { ExecuteOptions, Executor } from '#core/execution/executors/ports.ts';
import { asGatewayError, GatewayError } from '#core/kernel/errors.ts';
import { credentialRule } from '#core/policy/rules/decide.ts';
import { ownerOf } from './abuse-notes.ts';
import { beforeFunctionEnd, executionEndsAt, settlingMs } from './deadline.ts';
import type { GovernedAction } from './governed.ts';
import type { PerformPorts } from './ports.ts';

interface PerformResult {
  readonly outcome: ExecutionOutcome;
  readonly credential?: IssuedCredential;
  /** The session's head after minting; absent if it did not change. */
  readonly head?: SessionHead;
  readonly result?: unknown;
  readonly error?: GatewayError;
  /** The upstream that rejected the credential as a failed login. */
  readonly loginRefusedBy?: string | undefined;
  /** True if the upstream was unavailable or did not respond properly. */
  readonly upstream_down?: true;
  /** Whole milliseconds that the executor took; absent if it did not run. */
  readonly latency_ms?: number;
}

export const actorOf = ({ envelope, principal }: GovernedAction) => ({
  key_id: envelope.key_id,
  agent: envelope.actor.agent,
  ...federatedActor(principal),
});

/** Mints and executes. Failures are returned as outcomes, and nothing is retried. */
export async function perform(
  ports: PerformPorts,
  action: GovernedAction,
  approvalId: string | undefined,
  options: ExecuteOptions,
): Promise<PerformResult> {
  const { envelope } = action;
  const executor = ports.executors(action.snapshot).find((candidate) => candidate.handles(envelope));
  const endsAtMs = executionEndsAt(ports.clock.now(), action.hostEndsAtMs);
  if (executor && endsAtMs <= ports.clock.now()) return { outcome: 'not_executed', error: noTimeLeft(envelope.tool) };
  let over: () => void;
  try {
    over = executor?.begin?.(envelope) ?? (() => {});
  } catch (thrown) {
    return { outcome: 'not_executed', error: asGatewayError(thrown) };
  }
  try {
    return await carriedOut(ports, action, { executor, endsAtMs, approvalId }, options);
  } finally {
    over();
  }
}

interface PerformContext {
  readonly executor: Executor | undefined;
  readonly endsAtMs: number;
  readonly approvalId: string | undefined;
}

async function carriedOut(
  ports: PerformPorts,
  action: GovernedAction,
  { executor, endsAtMs, approvalId }: PerformContext,
  options: ExecuteOptions,
): Promise<PerformResult> {
  const { envelope } = action;
  let minted: Pick<PerformResult, 'credential' | 'head'> = {};
  try {
    const credential = await mint(ports, action, approvalId);
    if (credential) minted = { credential };
    if (credential && executor) minted = { credential, head: await handedOn(ports, action, credential, executor) };
  } catch (thrown) {
    return { outcome: 'not_executed', error: asGatewayError(thrown) };
  }
  if (!executor) return { outcome: 'not_executed', ...minted };
  const began = ports.clock.now();
  const took = () => ({ latency_ms: Math.max(0, Math.round(ports.clock.now() - began)) });
  try {
    const result = await beforeFunctionEnd(ports, endsAtMs, options.signal, (signal) =>
      executor.execute(envelope, minted.credential, { ...options, signal }),
    );
    return { outcome: 'executed', ...minted, ...took(), result };
  } catch (thrown) {
    return { ...failedAt(ports, action, executor, thrown), ...minted, ...took() };
  }
}

const noTimeLeft = (tool: string) =>
  new GatewayError(
    'service_unavailable',
    `${tool} was not called: the function that would have called it had less than ${settlingMs / 1000} seconds left. Try again.`,
    { retryAfterSeconds: 1 },
  );

/** Returns the outcome of a failed execution: `unknown` if it may have taken effect. It is never retried. */
function failedAt(
  ports: PerformPorts,
  { envelope, decision }: GovernedAction,
  executor: Executor,
  cause: unknown,
): PerformResult {
  const said = cause instanceof Error ? cause.message : String(cause);
  // UpstreamErrors already name the tool, the upstream and a remedy.
  const message = cause instanceof UpstreamError ? said : `${envelope.tool} failed at ${executor.name}: ${said}`;
  const error = new GatewayError('provider_error', message, { cause });
  ports.telemetry.log('warn', 'execution failed', { envelope_id: envelope.envelope_id, rule: decision.matched_rule });
  return {
    outcome: effectOf(cause) === 'unknown' ? 'unknown' : 'failed',
    error,
    loginRefusedBy: loginRefused(cause),
    ...(isUpstreamDown(cause) && { upstream_down: true }),
  };
}

const loginRefused = (cause: unknown): string | undefined =>
  cause instanceof UpstreamError && cause.kind === 'unauthorized' ? cause.upstream : undefined;

/** Records the credential before an executor gets it, so that it can be revoked after a crash. */
async function handedOn(
  ports: PerformPorts,
  action: GovernedAction,
  credential: IssuedCredential,
  executor: Executor,
): Promise<SessionHead> {
  const actor = actorOf(action);
  // Both are started together, so that the ledger writes them in one transaction, in this order.
  const [, head] = await Promise.all([
    recordMint(ports, credential, actor, action.head),
    recordUse(ports, credential, executor.name, actor, action.head),
  ]);
  return head;
}

/**
 * Mints the credential; undefined if no grant applies to the action.
 * @throws GatewayError `service_unavailable` if the broker cannot mint, `forbidden` if it may not mint for this action.
 */
async function mint(
  ports: PerformPorts,
  { envelope, decision, snapshot, principal }: GovernedAction,
  approvalId: string | undefined,
): Promise<IssuedCredential | undefined> {
  const grant = grantFor(snapshot.configuration.credentials.grants, credentialRule(decision), envelope);
  if (!grant) return undefined;
  const attributes = { credential_name: grant.broker, ttl: grant.ttl_seconds, scope: grant.scope };
  const count = (outcome: 'issued' | 'refused') =>
    ports.telemetry.count('svc_credentials_total', { broker: grant.broker, outcome });
  return ports.telemetry.span('credential.issue', attributes, async () => {
    const person = ownerOf(principal);
    try {
      const broker = await ports.brokers(grant.broker);
      if (!broker) throw noBroker(grant.broker, envelope.tool);
      const credential = await broker.issue(envelope, grant, {
        policyVersion: snapshot.version,
        ...(person !== undefined && { person }),
        ...(approvalId !== undefined && { approvalId }),
      });
      count('issued');
      return credential;
    } catch (fault) {
      count('refused');
      throw fault;
    }
  });
}

const noBroker = (name: string, tool: string): GatewayError =>
  new GatewayError('service_unavailable', `Broker ${name}, which the grant for ${tool} names, is not available.`);
