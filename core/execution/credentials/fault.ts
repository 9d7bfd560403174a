/** What an issuer of credentials answered instead of one, and the caller's error. No secret is in either. */
import { GatewayError } from '#core/kernel/errors.ts';

export type OutsideFaultKind =
  /** No answer in time: the issuer may have acted, or not. */
  | 'timeout'
  | 'unreachable'
  /** The gateway's own proof was not accepted. */
  | 'unauthorized'
  /** The gateway is known, and may not. */
  | 'forbidden'
  | 'not_found'
  /** The issuer does not grant what was asked for. */
  | 'rejected'
  | 'policy_too_large'
  | 'throttled'
  /** A sealed vault. */
  | 'sealed'
  | 'unavailable'
  /** The answer is not what its interface promises. */
  | 'malformed';

/** Thrown by the adapters. The message is their own: nothing of the issuer's answer, which may repeat what it was sent. */
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

/** The issuer refused exactly this action. The other faults are for an operator to mend: key, token, role, installation. */
const finalKinds: readonly OutsideFaultKind[] = ['rejected', 'policy_too_large'];
const soonOver: readonly OutsideFaultKind[] = ['timeout', 'unreachable', 'throttled', 'unavailable'];

/** Without a credential nothing runs; there is no broader one to fall back to. */
export const unavailable = (broker: string, why: string): GatewayError =>
  new GatewayError('service_unavailable', `Credential broker ${broker} cannot mint: ${why}.`);

/** The action, as it was asked for, is one this broker makes no credential for. */
export const refused = (broker: string, why: string): GatewayError =>
  new GatewayError('forbidden', `Credential broker ${broker} does not mint for this action: ${why}.`, {
    data: { reason: 'credential_refused' },
  });

/** What a failed call to the issuer means to the caller; `data.reason` is the fault's kind. */
export function brokerError(broker: string, issuer: string, thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (!(thrown instanceof ServiceFault)) {
    // Not ours, so its message may hold what was sent: it is dropped, not passed on.
    return new GatewayError('service_unavailable', `Credential broker ${broker} cannot mint: ${issuer} failed.`, {
      data: { reason: 'unknown' },
    });
  }
  const data = { reason: thrown.kind };
  if (finalKinds.includes(thrown.kind)) {
    const message = `Credential broker ${broker} does not mint for this action: ${issuer} answered ${thrown.message}.`;
    return new GatewayError('forbidden', message, { data, cause: thrown });
  }
  return new GatewayError(
    'service_unavailable',
    `Credential broker ${broker} cannot mint: ${issuer} answered ${thrown.message}.`,
    { data, cause: thrown, ...(soonOver.includes(thrown.kind) && { retryAfterSeconds: 1 }) },
  );
}
