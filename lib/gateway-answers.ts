/** What API Gateway answers on its own, before any function runs, in the error shape of every surface (contract §6). */
import { type ErrorCode, errorKinds } from '#core/kernel/errors.ts';

interface GatewayAnswer {
  /** API Gateway's name of the case. */
  readonly name: string;
  readonly statusCode: string;
  readonly templates: Readonly<Record<string, string>>;
  readonly responseHeaders?: Readonly<Record<string, string>>;
}

const answer = (
  name: string,
  type: ErrorCode,
  message: string,
  responseHeaders?: Record<string, string>,
): GatewayAnswer => {
  const code = errorKinds[type].status;
  const templates = { 'application/json': JSON.stringify({ error: { code, type, message } }) };
  return { name, statusCode: String(code), templates, ...(responseHeaders && { responseHeaders }) };
};

export const gatewayAnswers: readonly GatewayAnswer[] = [
  // API Gateway's word for a path or method it does not know.
  answer('MISSING_AUTHENTICATION_TOKEN', 'not_found', 'There is no such route.'),
  answer('REQUEST_TOO_LARGE', 'payload_too_large', 'The request is larger than the gateway accepts.'),
  answer('THROTTLED', 'rate_limit_error', 'Too many requests.', { 'Retry-After': "'1'" }),
  // The function may have done its work: whoever repeats the request at once may have it done twice.
  answer(
    'INTEGRATION_TIMEOUT',
    'outcome_unknown',
    'The gateway did not answer in time, and the outcome is not known: what was asked for may have been done. Look the session up with GET /admin/v1/audit?session=<session> before you repeat it, or repeat an action with the Idempotency-Key it was sent with.',
  ),
  answer('DEFAULT_4XX', 'invalid_request', 'The request could not be read.'),
  answer('DEFAULT_5XX', 'server_error', 'The gateway could not complete the request.'),
];
