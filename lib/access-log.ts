/**
 * One line for each answered request, as JSON. No header, query or body is in it: keys and parameters of actions pass there. Whose
 * key it was is in the function's own lines, which carry the same `request_id` [cloud.access-logs].
 */

/** Field → variable of API Gateway. The runbook names these fields; a test holds both together. */
export const restAccessLog = {
  /** The caller's `X-Request-ID`, and `request_id` in the function's log. */
  requestId: '$context.requestId',
  /** What AWS's support asks for. */
  extendedRequestId: '$context.extendedRequestId',
  traceId: '$context.xrayTraceId',
  requestTime: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  httpMethod: '$context.httpMethod',
  /** As in the routes, without ids. */
  resourcePath: '$context.resourcePath',
  protocol: '$context.protocol',
  /** What the caller got. */
  status: '$context.status',
  responseLength: '$context.responseLength',
  /** Milliseconds, in all and of them in the function. */
  responseLatency: '$context.responseLatency',
  integrationLatency: '$context.integration.latency',
  /** What the function answered, and what Lambda did: 200 also where the function answered something else. */
  integrationStatus: '$context.integration.integrationStatus',
  lambdaStatus: '$context.integration.status',
  integrationError: '$context.integration.error',
  /** Lambda's id of the invocation, as in the START and REPORT lines of the function's log. */
  integrationRequestId: '$context.integration.requestId',
  /** Where API Gateway itself refused or failed: its kind, e.g. `THROTTLED` or `INTEGRATION_TIMEOUT`, and its message. */
  errorType: '$context.error.responseType',
  error: '$context.error.message',
  wafStatus: '$context.waf.status',
} as const;

export const socketAccessLog = {
  requestId: '$context.requestId',
  requestTime: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  eventType: '$context.eventType',
  routeKey: '$context.routeKey',
  connectionId: '$context.connectionId',
  status: '$context.status',
  integrationLatency: '$context.integration.latency',
  integrationStatus: '$context.integration.status',
  integrationError: '$context.integration.error',
  integrationRequestId: '$context.integration.requestId',
  error: '$context.error.message',
} as const;

export const formatOf = (fields: Readonly<Record<string, string>>): string => JSON.stringify(fields);
