/** What becomes of a provider's failure: generic text for the caller, the detail for the log. */
import { asGatewayError, type GatewayError } from '#core/kernel/errors.ts';
import { ProviderFault } from '#core/providers/ports.ts';
import { faultToError } from '#core/routing/fault-to-error.ts';
import { type ChatCallState, disconnectError, ended } from '../call-state.ts';
import type { ChatPorts } from '../ports.ts';

/** The caller's error for a provider's failure; the detail stays in the log. */
export function failed(ports: ChatPorts, state: ChatCallState, thrown: unknown): GatewayError {
  const fault = thrown instanceof ProviderFault ? thrown : undefined;
  const error = fault ? faultToError(fault) : asGatewayError(thrown);
  const id = error.providerRequestId;
  if (id !== undefined) state.headers['x-provider-request-id'] = id;
  if (fault) state.attempts = [...state.attempts, ...fault.attempts];
  // A caller who leaves, or asks for what a provider has no form for, is not a failure of the provider's.
  if (fault && fault.kind !== 'aborted' && fault.reason !== 'unfit') {
    ports.telemetry.count('svc_provider_errors_total', { provider: fault.provider });
    ports.telemetry.log('warn', 'provider call failed', {
      envelope_id: state.call.envelopeId,
      request_id: state.call.requestId,
      provider: fault.provider,
      fault: fault.kind,
      error: fault.message,
      ...(id !== undefined && { provider_request_id: id }),
    });
  }
  ended(state, 'failed', error);
  if (fault?.kind !== 'aborted') return error;
  return disconnectError(state) ?? error;
}
