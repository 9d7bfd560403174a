/**
 * One JSON line per answered request. It contains no header, query or body, which carry keys and parameters of actions.
 * The function's own lines name the key, under the same `request_id` [cloud.access-logs].
 */

/** Field → variable of API Gateway. The runbook names these fields; a test compares both. */
export const restAccessLog = {
  /** The caller's `X-Request-ID`, and `request_id` in the function's log. */
  requestId: '$context.requestId',
  /** Requested by AWS support. */
  extendedRequestId: '$context.extendedRequestId',
  traceId: '$context.xrayTraceId',
  requestTime: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  httpMethod: '$context.httpMethod',
  /** The route's path, without ids. */
  resourcePath: '$context.resourcePath',
  protocol: '$context.protocol',
  /** The caller's status. */
  status: '$context.status',
  responseLength: '$context.responseLength',
  /** Milliseconds in total, and in the function. */
  responseLatency: '$context.responseLatency',
  integrationLatency: '$context.integration.latency',
  /** The function's status, and Lambda's: 200 even if the function answered another one. */
  integrationStatus: '$context.integration.integrationStatus',
  lambdaStatus: '$context.integration.status',
  integrationError: '$context.integration.error',
  /** Lambda's id of the invocation, as in the START and REPORT lines of the function's log. */
  integrationRequestId: '$context.integration.requestId',
  /** If API Gateway itself refused or failed: the kind, e.g. `THROTTLED` or `INTEGRATION_TIMEOUT`, and its message. */
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
