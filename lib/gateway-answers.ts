/** What API Gateway answers on its own, before any function runs, in the error shape of every surface. */
import { type ErrorCode, errorKinds } from '#core/kernel/errors.ts';

interface GatewayAnswer {
  /** API Gateway's name of the case. */
  readonly name: string;
  readonly statusCode: string;
  readonly templates: Readonly<Record<string, string>>;
  readonly responseHeaders?: Readonly<Record<string, string>>;
}

/**
 * A page could not read an answer without these, and would report a network error. They let any page read fixed texts; which pages
 * may call is still what the function answers to their preflight.
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
  // `type` beside `error` is what clients of /v1/messages look for; the others take no notice of it.
  const templates = { 'application/json': JSON.stringify({ type: 'error', error: { code, type, message } }) };
  return { name, statusCode: String(code), templates, ...(responseHeaders && { responseHeaders }) };
};

const refusal = (name: string): GatewayAnswer =>
  answer(name, 'forbidden', 'The request was refused before it reached the gateway.');

/**
 * Not here, because no API of the gateway has what they are for: authorisers, API keys of API Gateway, integrations that choose by media
 * type. Each answer is a resource of its API, and a stack ends at 500 [cloud.everything-on].
 */
const answers: readonly GatewayAnswer[] = [
  // API Gateway's word for a path or method it does not know.
  answer('MISSING_AUTHENTICATION_TOKEN', 'not_found', 'There is no such route.'),
  answer('REQUEST_TOO_LARGE', 'payload_too_large', 'The request is larger than the gateway accepts.'),
  answer('THROTTLED', 'rate_limit_error', 'Too many requests.', { 'Retry-After': "'1'" }),
  // The function may have done its work: a client that repeats the request at once may have it done twice.
  answer(
    'INTEGRATION_TIMEOUT',
    'outcome_unknown',
    'The gateway did not answer in time, and the outcome is not known: what was asked for may have been done. Look the session up with GET /admin/v1/audit?session=<session> before you repeat it, or repeat an action with the Idempotency-Key it was sent with.',
  ),
  ...['WAF_FILTERED', 'ACCESS_DENIED'].map(refusal),
  // An unknown route is one of these where the request has an Authorization header that is not of AWS.
  answer('DEFAULT_4XX', 'invalid_request', 'The request could not be read, or there is no such route.'),
  answer('DEFAULT_5XX', 'server_error', 'The gateway could not complete the request.'),
];

/** What the API of callers with IAM credentials says besides. */
const ofSignedRequests = ['EXPIRED_TOKEN', 'INVALID_SIGNATURE'].map(refusal);

interface Callers {
  /** Pages of other origins may call. */
  readonly pages: boolean;
  /** They sign with credentials of AWS. */
  readonly iam: boolean;
}

export function gatewayAnswers({ pages, iam }: Callers): readonly GatewayAnswer[] {
  const all = iam ? [...answers, ...ofSignedRequests] : answers;
  if (!pages) return all;
  return all.map((each) => ({ ...each, responseHeaders: { ...each.responseHeaders, ...readableByPages } }));
}
