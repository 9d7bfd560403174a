/** Defines all error codes with their HTTP status, wire type and JSON-RPC code. */

interface ErrorKind {
  readonly status: number;
  readonly rpc: number;
  readonly retryable: boolean;
  /** False if clients receive generic text instead of the message. */
  readonly shown: boolean;
}

const kind = (status: number, rpc: number, retryable = false, shown = true): ErrorKind => ({
  status,
  rpc,
  retryable,
  shown,
});

export const errorKinds = {
  invalid_request: kind(400, -32602),
  authentication_error: kind(401, -32600),
  forbidden: kind(403, -32600),
  separation_of_duties: kind(403, -32600),
  policy_violation: kind(403, -32600),
  session_blocked: kind(403, -32600),
  model_not_allowed: kind(403, -32600),
  not_found: kind(404, -32602),
  model_not_found: kind(404, -32602),
  no_upstream: kind(404, -32003),
  method_not_allowed: kind(405, -32601),
  conflict: kind(409, -32602),
  request_cancelled: kind(499, -32800),
  payload_too_large: kind(413, -32602),
  unsupported_media_type: kind(415, -32600),
  expectation_failed: kind(417, -32600),
  rate_limit_error: kind(429, -32603, true),
  budget_exceeded: kind(429, -32603, true),
  server_error: kind(500, -32603, false, false),
  provider_error: kind(502, -32000, true, false),
  service_unavailable: kind(503, -32603, true),
  provider_overloaded: kind(503, -32000, true),
  provider_timeout: kind(504, -32000, true),
  outcome_unknown: kind(504, -32000),
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorKinds;

/** JSON-RPC error codes, including those for tool actions. */
export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  upstreamFailed: -32000,
  block: -32001,
  approvalRequired: -32002,
  noUpstream: -32003,
} as const;

/** Error with a stable code. Its message states what was found, what is allowed and how to fix it. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly data: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The model provider's id for the call, to quote when contacting the provider's support. */
  readonly providerRequestId: string | undefined;
  /** For provider errors, the provider and the gateway request. Callers see both. */
  readonly origin: FaultOrigin | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      cause?: unknown;
      data?: Readonly<Record<string, unknown>> | undefined;
      retryAfterSeconds?: number | undefined;
      providerRequestId?: string | undefined;
      origin?: FaultOrigin | undefined;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.data = options.data;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.providerRequestId = options.providerRequestId;
    this.origin = options.origin;
  }

  get kind(): ErrorKind {
    return errorKinds[this.code];
  }

  /** Returns the response body used by all HTTP routes except `/v1/messages`. */
  toBody(): ErrorBody {
    const { providerRequestId: id, origin } = this;
    const text = this.kind.shown ? this.message : hiddenText(this.code, origin);
    const message = id === undefined ? text : `${text} (the provider's request id: ${id})`;
    return {
      error: {
        code: this.kind.status,
        type: this.code,
        message,
        ...(this.kind.shown && this.data),
        ...(origin && { ...(origin.provider !== '' && { provider: origin.provider }), request_id: origin.requestId }),
        ...(id !== undefined && { provider_request_id: id }),
      },
    };
  }
}

interface FaultOrigin {
  /** The provider's name. Empty if no provider could be called. */
  readonly provider: string;
  readonly requestId: string;
}

/** Returns the text shown to callers if the error's own message is only for the log. */
function hiddenText(code: ErrorCode, origin: FaultOrigin | undefined): string {
  if (!origin) return 'The gateway could not complete the request.';
  const { provider, requestId } = origin;
  const what =
    provider === ''
      ? 'no provider of the model is enabled'
      : `the provider ${provider} ${code === 'provider_timeout' ? 'did not answer in time' : 'failed'}`;
  return `The gateway could not complete the request: ${what} (request ${requestId}).`;
}

interface ErrorBody {
  error: { code: number; type: ErrorCode; message: string; [key: string]: unknown };
}

/** Wraps any thrown value in a GatewayError. Unexpected errors become `server_error` and show no details. */
export function asGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  return new GatewayError('server_error', thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}

export const invalidRequest = (message: string, data?: Record<string, unknown>) =>
  new GatewayError('invalid_request', message, data ? { data } : {});
