/** API Gateway's own responses, sent before any function runs, in each surface's error format. */
import { type ErrorCode, errorKinds } from '#core/kernel/errors.ts';

interface GatewayAnswer {
  /** API Gateway's name for the response. */
  readonly name: string;
  readonly statusCode: string;
  readonly templates: Readonly<Record<string, string>>;
  readonly responseHeaders?: Readonly<Record<string, string>>;
}

/**
 * Headers without which a page could not read a response and would report a network error. They let any page read fixed
 * text; the function still determines which pages may call, in its response to their preflight.
 */
const readableByPages = {
  'Access-Control-Allow-Origin': "'*'",
  'Access-Control-Expose-Headers': "'Retry-After'",
};

const answer = (
  name: string,
  type: ErrorCode,
  message: string,
  responseHeaders?: Record<string, string>,
): GatewayAnswer => {
  const code = errorKinds[type].status;
  // Clients of /v1/messages need `type` next to `error`; other clients ignore it.
  const templates = { 'application/json': JSON.stringify({ type: 'error', error: { code, type, message } }) };
  return { name, statusCode: String(code), templates, ...(responseHeaders && { responseHeaders }) };
};

const refusalAnswer = (name: string): GatewayAnswer =>
  answer(name, 'forbidden', 'The request was refused before it reached the gateway.');

/**
 * API Gateway responses that are replaced. Responses for authorisers, API Gateway's API keys, and integrations chosen
 * by media type are omitted, because the gateway's APIs do not use them. Each response is a separate resource of its
 * API, and a stack is limited to 500 [cloud.templates].
 */
const answers: readonly GatewayAnswer[] = [
  // API Gateway's name for an unknown path or method.
  answer('MISSING_AUTHENTICATION_TOKEN', 'not_found', 'There is no such route.'),
  answer('REQUEST_TOO_LARGE', 'payload_too_large', 'The request is larger than the gateway accepts.'),
  answer('THROTTLED', 'rate_limit_error', 'Too many requests.', { 'Retry-After': "'1'" }),
  // The function may already have done its work, so a client that repeats the request immediately may cause it to be
  // done twice.
  answer(
    'INTEGRATION_TIMEOUT',
    'outcome_unknown',
    'The gateway did not answer in time, and the outcome is not known: the request may have taken effect. Look the session up with GET /admin/v1/audit?session=<session> before you repeat it, or repeat an action with the Idempotency-Key it was sent with.',
  ),
  ...['WAF_FILTERED', 'ACCESS_DENIED'].map(refusalAnswer),
  // Includes unknown routes if the request has an Authorization header that is not in AWS's format.
  answer('DEFAULT_4XX', 'invalid_request', 'The request could not be read, or there is no such route.'),
  answer('DEFAULT_5XX', 'server_error', 'The gateway could not complete the request.'),
];

/** Additional responses for the API for callers with IAM credentials. */
const ofSignedRequests = ['EXPIRED_TOKEN', 'INVALID_SIGNATURE'].map(refusalAnswer);

interface Callers {
  /** Whether pages from other origins may call. */
  readonly pages: boolean;
  /** Whether callers sign with AWS credentials. */
  readonly iam: boolean;
}

export function gatewayAnswers({ pages, iam }: Callers): readonly GatewayAnswer[] {
  const all = iam ? [...answers, ...ofSignedRequests] : answers;
  if (!pages) return all;
  return all.map((each) => ({ ...each, responseHeaders: { ...each.responseHeaders, ...readableByPages } }));
}
