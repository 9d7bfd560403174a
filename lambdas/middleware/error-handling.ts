/** Returns errors in the surface's format, and stamps every reply, for every HTTP handler. */
import type { HttpContext, HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import { asGatewayError } from '#core/kernel/errors.ts';
import type { GatewayPorts } from '../ports.ts';
import { type ErrorShape, errorReply, logFault, stamp } from './answers.ts';

/**
 * Wraps a handler. Returns client errors in full. Logs the gateway's own errors with the request id, and returns them
 * without details.
 * @param outermost sees the final reply.
 */
export function withErrorHandling(
  { telemetry }: Pick<GatewayPorts, 'telemetry'>,
  answer: (event: HttpEvent, context: HttpContext) => Promise<HttpReply>,
  shape?: ErrorShape,
  outermost?: (event: HttpEvent, reply: HttpReply) => Promise<void>,
): HttpHandler {
  const refusal = (thrown: unknown, event: HttpEvent, { signal }: HttpContext): HttpReply => {
    const error = asGatewayError(thrown);
    if (error.kind.status >= 500 && !signal?.aborted) logFault(telemetry, event, error);
    return errorReply(error, shape);
  };
  return async (event, context) => {
    let reply: HttpReply;
    try {
      reply = await answer(event, context);
    } catch (thrown) {
      reply = refusal(thrown, event, context);
    }
    stamp(event, reply);
    await outermost?.(event, reply);
    return reply;
  };
}
