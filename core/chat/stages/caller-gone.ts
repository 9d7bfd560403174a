/** Ends calls whose caller disconnected or cancelled. Output up to that point is billed and recorded. */
import { cancelledBy } from '#core/execution/cancellation/watch.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { ChatCall } from '../call.ts';
import type { RunningCall } from '../call-stages.ts';

/** Returns the error for a caller who cancelled, or undefined for one who disconnected. */
export const cancelledError = ({ signal }: ChatCall): GatewayError | undefined =>
  cancelledBy(signal) === undefined
    ? undefined
    : new GatewayError('request_cancelled', 'The request was cancelled by its own key.');

/** Returns the reason the gateway ended the call, or undefined if it did not. */
export const haltedBy = ({ signal }: RunningCall): GatewayError | undefined =>
  signal.aborted && signal.reason instanceof GatewayError ? signal.reason : undefined;
