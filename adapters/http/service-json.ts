/**
 * JSON calls to issuers of credentials and Git hosts: bounded in time and size, no redirect followed, no part of an
 * answer in a fault.
 */

import { type OutsideFaultKind, ServiceFault } from '#core/execution/credentials/fault.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { isObject } from '#core/kernel/narrow.ts';

export interface ServiceCall {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly timeoutMs: number;
  /** @default 256 KiB */
  readonly longestAnswer?: number;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON object; undefined if the body is not one. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Calls the service. Any status is an answer. @throws ServiceFault `timeout`, `unreachable` */
export async function serviceJson(call: ServiceCall): Promise<ServiceAnswer> {
  const { url, method, headers, body, timeoutMs, longestAnswer = 256 * 1024 } = call;
  try {
    const response = await fetch(url, {
      method,
      headers: { accept: 'application/json', ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      // A redirect would carry the proof to an address that is not configured.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, headers: response.headers, body: parsed(await bounded(response, longestAnswer)) };
  } catch (thrown) {
    if (thrown instanceof ServiceFault) throw thrown;
    // The cause names address and headers, so it is dropped.
    if (isErrorNamed(thrown, 'TimeoutError')) throw new ServiceFault('timeout', `nothing within ${timeoutMs} ms`);
    throw new ServiceFault('unreachable', 'nothing: the connection failed');
  }
}

async function bounded(response: Response, longestAnswer: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > longestAnswer) throw new ServiceFault('malformed', `more than ${longestAnswer} bytes`, response.status);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the fault of an unwanted status, unless the issuer defines another meaning. */
export function statusFault(status: number, kind: OutsideFaultKind = kindOf(status)): ServiceFault {
  return new ServiceFault(kind, `no, with status ${status}`, status);
}

function kindOf(status: number): OutsideFaultKind {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 429) return 'throttled';
  if (status >= 500) return 'unavailable';
  return status >= 400 ? 'rejected' : 'malformed';
}
