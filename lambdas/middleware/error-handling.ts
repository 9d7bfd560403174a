/** The middy chain of every HTTP handler. */
import middy from '@middy/core';
import type { HttpContext, HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import type { GatewayPorts } from '../ports.ts';
import { type ErrorShape, type HttpMiddleware, standardHeaders, typedErrors } from './answers.ts';

/** Wraps a handler. @param outermost middlewares that see the final reply. */
export function withErrorHandling(
  ports: Pick<GatewayPorts, 'telemetry'>,
  answer: (event: HttpEvent, context: HttpContext) => Promise<HttpReply>,
  shape?: ErrorShape,
  outermost: readonly HttpMiddleware[] = [],
): HttpHandler {
  const chain = middy<HttpEvent, HttpReply>()
    .use([...outermost, standardHeaders()])
    .use(typedErrors(ports.telemetry, shape))
    .handler(answer as never);
  return (event, context) => (chain as unknown as HttpHandler)(event, context);
}
