/**
 * The commands' HTTP client: picks the key by route, limits how long it waits for data, and returns a document or
 * throws a Failure.
 */

import { isLoopback } from '#core/configuration/identity/federation/urls.ts';
import type { Route } from '#core/contracts/route.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { fields, text } from '#core/kernel/json-fields.ts';
import { jsonOrUndefined } from '#core/kernel/json-or-undefined.ts';
import type { OperationCommand } from '#core/operations/command.ts';
import type { Api, Call, ClientAnswer, OpenResponse, Query } from './client.ts';
import { exitCodes, Failure, UsageError } from './failure.ts';
import { type HttpRequest, type HttpResponse, sendRequest } from './http-request.ts';
import type { Settings } from './settings.ts';

/** Returns the route's path with its parameters filled in and the query appended. */
function pathOf(route: Route, parameters: Readonly<Record<string, string>> = {}, query: Query = {}): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(checkedId(name, parameters[name])),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) search.append(name, String(each));
  }
  return search.size > 0 ? `${path}?${search}` : path;
}

/**
 * Checks an id: it has no slash, and does not consist only of dots, which a URL parser would resolve as a parent
 * folder.
 */
function checkedId(name: string, id: string | undefined): string {
  if (name === 'version' && !/^[1-9]\d{0,15}$/.test(id ?? ''))
    throw new UsageError(`a policy version is a whole number from 1, got ${JSON.stringify(id ?? '')}`);
  if (id === undefined || !/^[A-Za-z0-9._:-]{1,128}$/.test(id) || /^\.+$/.test(id)) {
    throw new UsageError(
      `${name.replace('_', ' ')} must match [A-Za-z0-9._:-]{1,128}, got ${JSON.stringify(id ?? '')}`,
    );
  }
  return id;
}

export type FindRoute = (operation: string) => Route & { readonly command?: OperationCommand };

export class HttpApi implements Api {
  readonly #settings: Settings;
  readonly #routeOf: FindRoute;

  constructor(settings: Settings, routeOf: FindRoute) {
    this.#settings = settings;
    this.#routeOf = routeOf;
  }

  /** True if the gateway runs on another machine. */
  get isDeployment(): boolean {
    return !isLoopback(this.#settings.urlFor(this.#routeOf('health')));
  }

  /**
   * Calls an operation. @throws Failure if the server is unreachable, refuses the request, or answers with anything but
   * JSON.
   */
  async call(operation: string, call: Call = {}): Promise<ClientAnswer> {
    const body = await this.text(operation, call);
    const json = jsonOrUndefined(body);
    if (json === undefined) {
      const route = this.#routeOf(operation);
      const message = `${this.#settings.urlFor(route)} answered with something that is not JSON`;
      throw new Failure(exitCodes.negative, message, { hint: addressHint(route) });
    }
    return { text: body, json };
  }

  /** Returns the whole response as text. */
  async text(operation: string, call: Call = {}): Promise<string> {
    return collect(await this.stream(operation, call));
  }

  /** Returns the bytes of the response as they arrive. */
  async stream(operation: string, call: Call = {}): Promise<AsyncIterable<Uint8Array>> {
    return (await this.open(operation, call)).bytes;
  }

  /** Sends the request. @throws Failure if the server cannot be reached or refuses the request. */
  async open(operation: string, call: Call = {}): Promise<OpenResponse> {
    const route = this.#routeOf(operation);
    const url = this.#settings.urlFor(route);
    const path = pathOf(route, call.path, call.query);
    const key = this.#settings.keyFor(call.keyOf === undefined ? route : this.#routeOf(call.keyOf));
    const silence = new Silence(this.#settings.timeoutMs);
    let response: HttpResponse;
    try {
      response = await sendRequest(url + path, request(route, key, call, silence.signal));
    } catch (cause) {
      silence.end();
      throw this.#unreachable(url, cause);
    }
    const bytes = this.#bytes(url, response, silence);
    if (response.status < 200 || response.status > 299)
      throw responseFailure(route, response, await collect(bytes), key !== undefined);
    const type = (response.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
    return { status: response.status, type, headers: response.headers, bytes };
  }

  async *#bytes(url: string, response: HttpResponse, silence: Silence): AsyncIterable<Uint8Array> {
    try {
      for await (const chunk of response.body) {
        silence.broken();
        yield chunk;
      }
    } catch (cause) {
      throw this.#unreachable(url, cause);
    } finally {
      silence.end();
    }
  }

  #unreachable(url: string, cause: unknown): Failure {
    const { timeoutMs, unusedState } = this.#settings;
    if (isErrorNamed(cause, 'TimeoutError'))
      return new Failure(exitCodes.unreachable, `${url} was silent for ${timeoutMs / 1000} s`, { cause });
    const code = text(fields(cause).code) ?? (cause as Error).message;
    const advice =
      unusedState === undefined
        ? adviceFor(url, code)
        : `no gateway has run with the state folder ${unusedState}; name the folder of a local run, or an address with --url`;
    return new Failure(exitCodes.unreachable, `cannot reach ${url} (${code}): ${advice}`, { cause });
  }
}

/** Returns advice for a failed connection. */
function adviceFor(url: string, code: string): string {
  const isTls = url.startsWith('https:');
  if (isTls && /CERT|VERIFY_LEAF|ALTNAME/.test(code))
    return 'its certificate is not trusted on this machine: set NODE_EXTRA_CA_CERTS to the CA certificate file, and use a host name that the certificate is valid for';
  if (isTls && /^EPROTO$|^ERR_SSL_/.test(code)) return 'it does not speak TLS there: try http://';
  if (!isTls && /^ECONNRESET$|^UND_ERR_SOCKET$|^HPE_/.test(code))
    return 'the server closed the connection: it may require TLS (try https://), or it may not speak HTTP';
  return isLoopback(url) ? 'start it with `npm start`' : 'check the address (--url) and the network';
}

function request(
  route: Route,
  key: string | undefined,
  { body, document, headers }: Call,
  signal: AbortSignal,
): HttpRequest {
  const type = document?.type ?? (body === undefined ? undefined : 'application/json');
  const content = document?.content ?? (body === undefined ? undefined : JSON.stringify(body));
  return {
    method: route.method,
    headers: {
      ...headers,
      ...(key !== undefined && { 'x-api-key': key }),
      ...(type !== undefined && { 'content-type': type }),
    },
    ...(content !== undefined && { body: content }),
    signal,
  };
}

/** Aborts a request that has received no data for a while. */
class Silence {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(limitMs: number) {
    const abort = () => this.#controller.abort(new DOMException('silent for too long', 'TimeoutError'));
    this.#timer = setTimeout(abort, limitMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  broken(): void {
    this.#timer.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** Start of the answer of another surface of a gateway, which does not have the route. */
const noRoute = 'No route matches ';

const addressHint = ({ surface }: Route): string =>
  surface === 'gateway'
    ? 'check that --gateway is the gateway address'
    : 'check that --url is the admin address of a gateway';

/** Returns the server's own message if it sent one, otherwise the status. */
function responseFailure(route: Route, response: HttpResponse, body: string, hadKey: boolean): Failure {
  const { type, message } = fields(fields(jsonOrUndefined(body)).error);
  const said = text(message) ? `${text(type) ?? response.status}: ${text(message)}` : undefined;
  const hint =
    response.status === 401
      ? keyHint(hadKey)
      : text(message)?.startsWith(noRoute)
        ? addressHint(route)
        : retryHint(response.headers.get('retry-after'));
  const id = response.headers.get('x-request-id');
  // The gateway does not describe its own faults or its providers' to callers; its log does, under this id.
  const named = response.status >= 500 && id !== null ? ` (request id ${id.slice(0, 100)})` : '';
  const words = `${(said ?? `the server answered ${response.status} ${response.statusText}`).trimEnd()}${named}`;
  return new Failure(exitCodes.negative, words, {
    hint,
    status: response.status,
    body: jsonOrUndefined(body) === undefined ? undefined : body,
  });
}

const keyHint = (hadKey: boolean): string =>
  hadKey
    ? 'the key was not accepted: give another with --key or AGENTCTL_KEY'
    : "no key was found: give one with --key or AGENTCTL_KEY, or name the local run's folder with --state";

const retryHint = (after: string | null): string | undefined =>
  after === null ? undefined : `try again in ${after.slice(0, 40)} s`;

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
