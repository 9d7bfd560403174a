/** Builds the request to a service: method, headers, body and, finally, the credential. */
import * as z from 'zod';
import type { HttpServiceEntry } from '#core/contracts/config.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import type { IssuedCredential } from '#core/execution/credentials/ports.ts';
import { callRefused, needsCredential } from '../fault.ts';
import { parametersOf } from '../parameters.ts';

const httpParameters = z.strictObject({
  /** URL from which the destination is found. */
  url: z.string().optional(),
  method: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** Body to send: strings are sent unchanged, other values as JSON. */
  body: z.json().optional(),
  json: z.json().optional(),
  form: z.record(z.string(), z.string()).optional(),
});

const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Operations that take the HTTP method as a parameter. */
const carriers = ['request', 'fetch', 'call'];

/** Builds method, headers and body. @throws ExecutionFault `refused`, `no_credential` */
export function sendingOf(
  envelope: Pick<ActionEnvelope, 'tool' | 'parameters'>,
  service: HttpServiceEntry,
  credential: IssuedCredential | undefined,
) {
  const parameters = parametersOf(httpParameters, envelope.parameters);
  const method = methodOf(envelope.tool, parameters.method);
  if (!service.allowed_methods.some((allowed) => allowed === method))
    throw callRefused(`method ${method} of service ${service.name} is not among ${service.allowed_methods.join(', ')}`);
  const content = requestContent(parameters);
  if (content && ['GET', 'HEAD', 'OPTIONS'].includes(method)) throw callRefused(`${method} carries no body`);
  const bytes = Buffer.byteLength(content?.body ?? '');
  if (bytes > service.max_request_bytes)
    throw callRefused(
      `the body has ${bytes} bytes, but service ${service.name} accepts at most ${service.max_request_bytes}`,
    );
  return {
    method,
    headers: {
      accept: 'application/json, text/*;q=0.9, */*;q=0.1',
      ...(content && { 'content-type': content.type }),
      ...callerHeaders(parameters.headers ?? {}, service),
      'user-agent': 'agent-governance-gateway',
      // Requested uncompressed, so that size limits apply to the actual content.
      'accept-encoding': 'identity',
      ...credentialHeader(service, credential),
    },
    ...(content && { body: content.body }),
  };
}

/**
 * Returns the HTTP method, taken from the tool (`http.get`, `billing.post`) or, for `http.request`, from the parameter.
 */
function methodOf(tool: string, parameter: string | undefined): string {
  const operation = tool.slice(tool.lastIndexOf('.') + 1);
  const byTool = carriers.includes(operation.toLowerCase()) ? undefined : operation.toUpperCase();
  const method = byTool ?? parameter?.toUpperCase();
  if (method === undefined) throw callRefused(`${tool} needs the parameter method`);
  if (!methods.includes(method))
    throw callRefused(`"${operation}" is not an HTTP method`, `Use ${methods.join(', ')}.`);
  if (parameter !== undefined && parameter.toUpperCase() !== method)
    throw callRefused(`tool ${tool} and parameter method name different methods`);
  return method;
}

function requestContent({
  body,
  json,
  form,
}: z.infer<typeof httpParameters>): { body: string; type: string } | undefined {
  if ([body, json, form].filter((given) => given !== undefined).length > 1)
    throw callRefused('more than one of body, json and form is given');
  if (form !== undefined)
    return { body: new URLSearchParams(form).toString(), type: 'application/x-www-form-urlencoded' };
  if (typeof body === 'string') return { body, type: 'text/plain; charset=utf-8' };
  const value = json === undefined ? body : json;
  return value === undefined ? undefined : { body: JSON.stringify(value), type: 'application/json' };
}

const usualHeaders = [
  'accept',
  'accept-language',
  'content-type',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'idempotency-key',
  'prefer',
  'x-request-id',
];

function callerHeaders(
  given: Readonly<Record<string, string>>,
  { name: service, allowed_headers, credential }: HttpServiceEntry,
): Record<string, string> {
  const own = credential.header.toLowerCase();
  const allowed = [...usualHeaders, ...allowed_headers].filter((name) => name !== own);
  const headers: Record<string, string> = {};
  for (const [written, value] of Object.entries(given)) {
    const name = written.toLowerCase();
    if (!allowed.includes(name)) throw callRefused(`callers of ${service} may not set header ${written}`);
    if (name in headers) throw callRefused(`header ${name} is given twice`);
    if (!/^[\t\x20-\x7e]{0,4096}$/.test(value)) throw callRefused(`the value of header ${name} is not plain ASCII`);
    headers[name] = value;
  }
  return headers;
}

function credentialHeader(
  { name, credential: { header, scheme, required } }: HttpServiceEntry,
  credential: IssuedCredential | undefined,
): Record<string, string> {
  if (!credential) {
    if (required) throw needsCredential(`service ${name}`);
    return {};
  }
  const secret = scheme.toLowerCase() === 'basic' ? basicOf(credential.secret) : credential.secret;
  if (!/^[\x21-\x7e]+$/.test(secret))
    throw callRefused(`the credential for service ${name} does not fit into a header`);
  return { [header.toLowerCase()]: scheme === '' ? secret : `${scheme} ${secret}` };
}

/** Encodes a leased user name and password, or a stored `user:password`, for basic authentication. */
function basicOf(secret: string): string {
  try {
    const { username, password } = JSON.parse(secret) as { username?: unknown; password?: unknown };
    return Buffer.from(`${username}:${password}`).toString('base64');
  } catch {
    return Buffer.from(secret).toString('base64');
  }
}
