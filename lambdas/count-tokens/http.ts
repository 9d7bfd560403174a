/** Estimates the input tokens of a messages request. */
import { chatJson } from '#core/contracts/chat.ts';
import type { HttpEvent, HttpHandler } from '#core/contracts/http.ts';
import { admitRequest, type RequestLimitPorts } from '#core/limits/admit-request.ts';
import { estimateTokens } from '#core/models/dialects/count-tokens.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { routes } from '#features/routes.ts';
import { boundedCallBody, jsonObject } from '../middleware/body.ts';
import { errorShape } from '../middleware/chat-endpoint.ts';
import { withCors } from '../middleware/cors.ts';
import { replyOf } from '../middleware/http-endpoint.ts';
import { identify, snapshotFor } from '../middleware/identify.ts';
import { inputsOf, matchRoute } from '../middleware/route.ts';
import type { GatewayPorts } from '../ports.ts';

const ownRoutes = routes.filter((route) => route.handledBy === 'count-tokens');

export function createHandler(
  ports: Pick<GatewayPorts, 'snapshots' | 'telemetry' | 'admissions' | 'tokens'> & RequestLimitPorts,
): HttpHandler {
  const answer = async (event: HttpEvent) => {
    const route = matchRoute(ownRoutes, event);
    const snapshot = await snapshotFor(event, ports);
    const principal = await identify(event, route, snapshot, ports);
    inputsOf(route, event);
    const body = jsonObject(event, boundedCallBody(event, snapshot, principal), chatJson);
    dialects.anthropic.checkRequest(body);
    const { headers, booked } = await admitRequest(ports, { principal, snapshot });
    return { ...replyOf({ headers, body: { input_tokens: estimateTokens('anthropic', body) } }), finished: booked };
  };
  return withCors(ownRoutes, ports, answer, errorShape('anthropic'));
}
