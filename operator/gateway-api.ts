/** The two requests that the operator sends to a gateway's admin surface. */

import type { Composition } from './compose.ts';
import { type ActiveVersion, failedOutcome, type ReconcileOutcome } from './plan.ts';
import type { Gateway } from './resources.ts';

const timeoutMs = 60_000;

/**
 * Returns the address of the admin surface. It is always a service in the object's namespace, so that a token never
 * leaves the namespace.
 */
export function serviceAddress({ metadata, spec: { service } }: Gateway): string {
  return `${service.scheme ?? 'http'}://${service.name}.${metadata.namespace}.svc:${service.port ?? 8081}`;
}

/** Returns the active version. */
export async function liveVersion(address: string, token: string, signal: AbortSignal): Promise<ActiveVersion> {
  const answer = await call({ address, token }, 'GET', 'policy-versions/current', signal);
  if (answer.unreachable !== undefined) return { unreachable: answer.unreachable };
  const { status, body } = answer;
  if (status === 200) return body as { version: number; sha256: string };
  return { unreachable: messageOf(status, body), unauthorized: status === 401 || status === 403 };
}

/** Stores a configuration. If it is refused, the error contains the gateway's message. */
export async function putConfiguration(
  address: string,
  token: string,
  { text, composed }: Composition,
  signal: AbortSignal,
): Promise<ReconcileOutcome> {
  const answer = await call({ address, token }, 'PUT', 'config', signal, text);
  if (answer.unreachable !== undefined) return failedOutcome('Unreachable', answer.unreachable);
  const { status, body } = answer;
  if (status === 201) {
    const { version, sha256, warnings = [] } = body as { version: number; sha256: string; warnings?: string[] };
    return { stored: true, version, sha256, composed, warnings };
  }
  if (status === 401 || status === 403) return failedOutcome('Unauthorized', messageOf(status, body));
  return failedOutcome(
    status >= 400 && status < 500 && status !== 429 ? 'Refused' : 'Unreachable',
    messageOf(status, body),
  );
}

async function call(
  { address, token }: { readonly address: string; readonly token: string },
  method: string,
  path: string,
  ended: AbortSignal,
  body?: string,
) {
  try {
    const answer = await fetch(new URL(`/admin/v1/${path}`, address), {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/yaml' }) },
      body: body ?? null,
      signal: AbortSignal.any([ended, AbortSignal.timeout(timeoutMs)]),
      redirect: 'error',
    });
    return { status: answer.status, body: (await answer.json().catch(() => ({}))) as unknown };
  } catch (fault) {
    const { cause, message } = fault as Error & { cause?: Error };
    return { unreachable: `${method} ${address}/admin/v1/${path} got no answer: ${cause?.message || message}` };
  }
}

/** Returns the gateway's own message, truncated because the API server's conditions are limited to 32768 characters. */
function messageOf(status: number, body: unknown): string {
  const { error } = body as { error?: { message?: string } };
  return (error?.message ?? `The gateway answered with ${status} and without a message.`).slice(0, 16_000);
}
