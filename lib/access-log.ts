/**
 * One JSON line per completed request. It contains no headers, query or body, because these carry keys and action
 * parameters. The function's own log lines name the key, under the same `request_id` [cloud.access-logs].
 */

/** API Gateway variables by field name. The runbook names these fields; a test compares the two. */
export const restAccessLog = {
  /** The caller's `X-Request-ID`; also `request_id` in the function's log. */
  requestId: '$context.requestId',
  /** Id that AWS Support asks for. */
  extendedRequestId: '$context.extendedRequestId',
  traceId: '$context.xrayTraceId',
  requestTime: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  httpMethod: '$context.httpMethod',
  /** The route's path, without ids. */
  resourcePath: '$context.resourcePath',
  protocol: '$context.protocol',
  /** The status sent to the caller. */
  status: '$context.status',
  responseLength: '$context.responseLength',
  /** Total time in milliseconds, including the function's time. */
  responseLatency: '$context.responseLatency',
  integrationLatency: '$context.integration.latency',
  /** The function's status. Lambda's own status is 200 even if the function returned a different one. */
  integrationStatus: '$context.integration.integrationStatus',
  lambdaStatus: '$context.integration.status',
  integrationError: '$context.integration.error',
  /** Lambda's invocation id, as in the START and REPORT lines of the function's log. */
  integrationRequestId: '$context.integration.requestId',
  /**
   * Kind of error if API Gateway itself refused the request or failed, e.g. `THROTTLED` or `INTEGRATION_TIMEOUT`, and
   * its message.
   */
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
