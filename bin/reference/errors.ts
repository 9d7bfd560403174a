import { type ErrorCode, errorKinds, rpcCodes } from '#core/kernel/errors.ts';
import { code, origin, table } from './markdown.ts';

const meanings: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'The request cannot be understood; the message says what was found and what is allowed.',
  authentication_error: 'No key, an unknown key, or a revoked one.',
  forbidden: "The key's role, kind, tenant or session does not allow this.",
  separation_of_duties: 'A person cannot vote on a request made with their own key, or with a key that they own.',
  policy_violation: 'A content policy blocked the text.',
  session_blocked: 'The kill switch has stopped this session.',
  model_not_allowed: 'The tenant may not use this model.',
  not_found: 'The resource does not exist, or it belongs to another tenant.',
  model_not_found: 'No route serves this model.',
  no_upstream: 'No configured server or service has the tool.',
  method_not_allowed: 'The path exists, but it does not support the method.',
  conflict: 'The record was changed by another request. `error.record` holds its current state if there is one.',
  request_cancelled: 'The request was cancelled by its own key while it ran.',
  payload_too_large: 'The body is larger than this route takes.',
  unsupported_media_type: 'This route does not accept the Content-Type.',
  expectation_failed: 'The request expects something other than `100-continue`.',
  rate_limit_error: 'Too many requests or tokens in the window.',
  budget_exceeded: 'The budget is spent.',
  server_error: 'A fault of the gateway; the log has the detail under the request id.',
  provider_error: 'The provider or tool behind the gateway failed.',
  service_unavailable: 'A store, limiter or broker is not available. The request was refused and nothing was done.',
  provider_overloaded: 'The provider is overloaded (503 or 529); on messages the status is 529.',
  provider_timeout: 'The provider did not answer in time.',
  outcome_unknown:
    'The gateway did not answer in time, and the request may have taken effect. Do not repeat it blindly: look up the outcome, or repeat an action with its Idempotency-Key.',
};

const rpcMeanings: Readonly<Record<keyof typeof rpcCodes, string>> = {
  parse: 'the message is not JSON',
  invalidRequest: 'not a JSON-RPC request',
  unknownMethod: 'no such method',
  invalidParams: 'the parameters are not valid',
  internal: 'a fault of the gateway',
  upstreamFailed: 'the tool failed; the message names tool and upstream',
  block: 'the policy blocks the call; `data.reason`, `data.suggested_alternative`',
  approvalRequired:
    'a human has to approve; `data.approval_url`, `data.queued_at`, and `data.reason` if an existing approval could not be used',
  noUpstream: 'no upstream serves the tool',
};

export function errorsPage(): string {
  const rows = Object.entries(errorKinds).map(([type, { status, rpc, retryable, shown }]) => [
    status,
    code(type),
    rpc,
    retryable ? 'yes' : 'no',
    shown ? 'as written' : 'a general sentence',
    meanings[type as ErrorCode],
  ]);
  const rpc = Object.entries(rpcCodes).map(([name, number]) => [number, rpcMeanings[name as keyof typeof rpcCodes]]);
  return `# Errors

${origin('`core/kernel/errors.ts`')}
Every HTTP error is \`{ "error": { "code": <status>, "type": <type>, "message": <text> } }\`, some with further members.
A message says what was found and what is allowed. Replies carry \`X-Request-ID\`; the log names it.

${table(['status', 'type', 'JSON-RPC', 'worth a retry', 'message shown', 'when'], rows)}
## JSON-RPC codes of tool actions

A decision is not an HTTP error: \`POST /v1/actions\` answers 200 and carries one of these in \`error.code\`,
and so does \`tools/call\` of the MCP endpoint.

${table(['code', 'meaning'], rpc)}`;
}
