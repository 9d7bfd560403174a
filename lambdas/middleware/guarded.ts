/** The middy chain every HTTP door runs in. */
import middy from '@middy/core';
import type { HttpContext, HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import type { GatewayPorts } from '../ports.ts';
import { type DoorMiddleware, type ErrorShape, standardHeaders, typedErrors } from './answers.ts';

/** @param outermost what sees the reply last, as it leaves. */
export function guarded(
  ports: Pick<GatewayPorts, 'telemetry'>,
  answer: (event: HttpEvent, context: HttpContext) => Promise<HttpReply>,
  shape?: ErrorShape,
  outermost: readonly DoorMiddleware[] = [],
): HttpHandler {
  const chain = middy<HttpEvent, HttpReply>()
    .use([...outermost, standardHeaders()])
    .use(typedErrors(ports.telemetry, shape))
    .handler(answer as never);
  return (event, context) => (chain as unknown as HttpHandler)(event, context);
}
