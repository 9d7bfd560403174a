/** Handles a provider's failure: generic text for the caller, the detail for the log. */
import { asGatewayError } from '#core/kernel/errors.ts';
import { ProviderFault } from '#core/models/providers/ports.ts';
import { faultToError } from '#core/models/routing/fault-to-error.ts';
import type { KnownCall } from '../call-stages.ts';
import type { ChatPorts } from '../ports.ts';
import { StageFailure } from '../stage-failure.ts';
import { cancelledError } from './caller-gone.ts';

/** Returns the error for the caller after a provider's failure, and logs the detail. */
export function providerFailure(ports: ChatPorts, before: KnownCall, thrown: unknown): StageFailure {
  const fault = thrown instanceof ProviderFault ? thrown : undefined;
  const error = fault ? faultToError(fault, before.call.requestId) : asGatewayError(thrown);
  const id = error.providerRequestId;
  const headers = id === undefined ? {} : { 'x-provider-request-id': id };
  const { call, attempts = [] } = before;
  const known = fault ? { ...before, attempts: [...attempts, ...fault.attempts] } : before;
  // If the caller disconnects or requests a feature that the provider's API lacks, it is not the provider's failure.
  if (fault && fault.kind !== 'aborted' && fault.reason !== 'unfit') {
    ports.telemetry.count('svc_provider_errors_total', { provider: fault.provider });
    ports.telemetry.log('warn', 'provider call failed', {
      envelope_id: call.envelopeId,
      request_id: call.requestId,
      provider: fault.provider,
      fault: fault.kind,
      error: fault.message,
      ...(id !== undefined && { provider_request_id: id }),
    });
  }
  if (fault?.kind !== 'aborted') return new StageFailure(error, known, 'failed', { headers });
  return new StageFailure(cancelledError(call) ?? error, known, 'aborted', { headers });
}
