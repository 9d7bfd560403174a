/** Ends of calls that the caller left or cancelled: output up to that point is billed and recorded. */
import { cancelledBy } from '#core/execution/cancellation/watch.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { ChatCall } from '../call.ts';
import type { RunningCall } from '../call-stages.ts';

/** Returns the error for a caller who cancelled; undefined for one who disconnected. */
export const cancelledError = ({ signal }: ChatCall): GatewayError | undefined =>
  cancelledBy(signal) === undefined
    ? undefined
    : new GatewayError('request_cancelled', 'The request was cancelled by its own key.');

/** Returns the reason for which the gateway ended the call, if it did. */
export const haltedBy = ({ signal }: RunningCall): GatewayError | undefined =>
  signal.aborted && signal.reason instanceof GatewayError ? signal.reason : undefined;
