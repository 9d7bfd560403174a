/** Faults of credential issuers and the resulting errors for callers, both without secrets. */
import { GatewayError } from '#core/kernel/errors.ts';

export type OutsideFaultKind =
  /** No response arrived in time; the issuer may have acted. */
  | 'timeout'
  | 'unreachable'
  /** The gateway's own credentials were not accepted. */
  | 'unauthorized'
  /** The gateway is authenticated but lacks permission. */
  | 'forbidden'
  | 'not_found'
  /** The issuer rejects the requested grant. */
  | 'rejected'
  | 'policy_too_large'
  | 'throttled'
  /** The vault is sealed. */
  | 'sealed'
  | 'unavailable'
  /** The response does not match the issuer's interface. */
  | 'malformed';

/**
 * Fault thrown by adapters. Its message contains nothing from the issuer's response, because the response may repeat
 * secrets sent to the issuer.
 */
export class ServiceFault extends Error {
  override readonly name = 'ServiceFault';
  readonly kind: OutsideFaultKind;
  readonly status: number | undefined;

  constructor(kind: OutsideFaultKind, message: string, status?: number) {
    super(message);
    this.kind = kind;
    this.status = status;
  }
}

/**
 * Faults by which the issuer refuses this action. All other faults have to be fixed by an operator: key, token, role,
 * installation.
 */
const finalKinds: readonly OutsideFaultKind[] = ['rejected', 'policy_too_large'];
const soonOver: readonly OutsideFaultKind[] = ['timeout', 'unreachable', 'throttled', 'unavailable'];

/**
 * Returns the error for a credential that cannot be minted. The action does not run, since there is no broader
 * credential to fall back to.
 */
export const unavailable = (broker: string, why: string): GatewayError =>
  new GatewayError('service_unavailable', `Credential broker ${broker} cannot mint: ${why}.`);

/** Returns the error for an action for which this broker does not mint credentials. */
export const mintingRefused = (broker: string, why: string): GatewayError =>
  new GatewayError('forbidden', `Credential broker ${broker} does not mint for this action: ${why}.`, {
    data: { reason: 'credential_refused' },
  });

/** Converts a failed call to the issuer into an error for the caller. `data.reason` is the fault's kind. */
export function brokerError(broker: string, issuer: string, thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (!(thrown instanceof ServiceFault)) {
    // An unknown error may contain secrets that were sent, so its message is dropped.
    return new GatewayError('service_unavailable', `Credential broker ${broker} cannot mint: ${issuer} failed.`, {
      data: { reason: 'unknown' },
    });
  }
  const data = { reason: thrown.kind };
  if (finalKinds.includes(thrown.kind)) {
    const message = `Credential broker ${broker} does not mint for this action: ${issuer} returned ${thrown.message}.`;
    return new GatewayError('forbidden', message, { data, cause: thrown });
  }
  return new GatewayError(
    'service_unavailable',
    `Credential broker ${broker} cannot mint: ${issuer} returned ${thrown.message}.`,
    { data, cause: thrown, ...(soonOver.includes(thrown.kind) && { retryAfterSeconds: 1 }) },
  );
}
