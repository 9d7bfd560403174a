/** Calls to the admin API on the same origin. A refusal by the gateway becomes an `ApiError` with its message. */
import type { AnswerOf, OperationId } from '#core/operations/endpoints.ts';

export class ApiError extends Error {
  readonly status: number;
  readonly type: string;

  constructor(status: number, type: string, message: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.type = type;
  }
}

export interface Api {
  get<Id extends OperationId>(path: string, signal?: AbortSignal): Promise<AnswerOf<Id>>;
  /** Reads the response of an optional capability. */
  ofFeature<Answer>(path: string, signal?: AbortSignal): Promise<Answer>;
  post<Id extends OperationId>(path: string, body: unknown): Promise<AnswerOf<Id>>;
  postToFeature<Answer>(path: string, body: unknown): Promise<Answer>;
  /** Sends a string unchanged. */
  putText<Id extends OperationId>(path: string, text: string): Promise<AnswerOf<Id>>;
  remove(path: string): Promise<void>;
  /** Returns the body as a blob, which the browser keeps outside the page's memory, because evidence may be long. */
  blob(path: string, signal?: AbortSignal): Promise<Blob>;
  /** Yields the bytes of an event stream as they arrive. */
  events(path: string, lastEventId: string | undefined, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Content of a request: `body` is sent as JSON, `raw` unchanged. */
interface ApiRequest {
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly raw?: string;
}

/**
 * @param keyNow returns the key when a call begins; undefined without a session, in which case no request is sent.
 * @param rejected called once per call before it fails, if the gateway refused this key.
 */
export function apiOf(keyNow: () => string | undefined, rejected: (key: string) => void = () => {}): Api {
  const answered = async (
    method: string,
    path: string,
    { body, signal, headers = {}, raw }: ApiRequest = {},
  ): Promise<Response> => {
    const key = keyNow();
    if (key === undefined) throw new ApiError(401, 'signed_out', 'Sign in again.');
    const response = await fetch(`/admin/v1/${path}`, {
      method,
      headers: { ...headers, 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(raw !== undefined && { body: raw }),
      ...(signal && { signal }),
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
    }).catch((cause: unknown) => {
      if (signal?.aborted) throw cause;
      throw new ApiError(0, 'unreachable', 'The gateway does not answer.');
    });
    if (response.ok) return response;
    if (response.status === 401) rejected(key);
    throw refusalOf(response.status, await response.text());
  };
  const asked = async (method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<string> =>
    (await answered(method, path, { body, signal })).text();
  return {
    get: async (path, signal) => parsed(await asked('GET', path, undefined, signal)),
    ofFeature: async (path, signal) => parsed(await asked('GET', path, undefined, signal)),
    post: async (path, body) => parsed(await asked('POST', path, body)),
    postToFeature: async (path, body) => parsed(await asked('POST', path, body)),
    putText: async (path, text) =>
      parsed(
        await (await answered('PUT', path, { headers: { 'content-type': 'application/yaml' }, raw: text })).text(),
      ),
    remove: async (path) => void (await asked('DELETE', path)),
    blob: async (path, signal) => (await answered('GET', path, { signal })).blob(),
    async *events(path, lastEventId, signal) {
      const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
      const reader = (await answered('GET', path, { signal, headers })).body?.getReader();
      for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) yield next.value;
    },
  };
}

/** @throws ApiError if the response is not JSON, for example the page of a proxy. */
export function parsed<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new ApiError(
      0,
      'unreadable',
      'The response is not JSON, so it is probably not from the gateway. Check any proxy between this browser and the gateway.',
    );
  }
}

/** Checks whether a failed request may have taken effect: the gateway did not report that it refused the request. */
export const mayHaveHappened = (cause: unknown): boolean =>
  cause instanceof ApiError && (cause.status === 0 || cause.status >= 500);

/**
 * Checks whether the gateway refused for a reason that repeating the request cannot change. A refusal as `forbidden` can
 * be about a passkey, which the person may present again.
 */
export const isFinalRefusal = (cause: unknown): boolean =>
  cause instanceof ApiError && (cause.status === 404 || cause.status === 409 || cause.type === 'separation_of_duties');

export function refusalOf(status: number, text: string): ApiError {
  try {
    const { error } = JSON.parse(text) as { error: { type: string; message: string } };
    return new ApiError(status, error.type, error.message);
  } catch {
    return new ApiError(
      status,
      'unknown',
      `The gateway, or a proxy in front of it, answered ${status} without a reason. Check that the gateway is running.`,
    );
  }
}

/** Describes a fault for people. */
export const faultText = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault));
