/**
 * JSON calls to credential issuers and Git hosts: limited time and size, no redirects followed, and no part of a
 * response included in a fault.
 */

import { ServiceFault } from '#core/execution/credentials/fault.ts';
import type { SendJson } from '#core/execution/credentials/service.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { jsonOrUndefined } from '#core/kernel/json-or-undefined.ts';
import { isObject } from '#core/kernel/narrow.ts';

export const serviceJson: SendJson = async (call) => {
  const { url, method, headers, body, timeoutMs, longestAnswer = 256 * 1024 } = call;
  try {
    const response = await fetch(url, {
      method,
      headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
      // A redirect would carry the proof to an address that is not configured.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: objectIn(await readBounded(response, longestAnswer)),
    };
  } catch (thrown) {
    if (thrown instanceof ServiceFault) throw thrown;
    // The cause contains addresses and headers, so it is dropped.
    if (isErrorNamed(thrown, 'TimeoutError')) throw new ServiceFault('timeout', `nothing within ${timeoutMs} ms`);
    throw new ServiceFault('unreachable', 'nothing: the connection failed');
  }
};

async function readBounded(response: Response, longestAnswer: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > longestAnswer) throw new ServiceFault('malformed', `more than ${longestAnswer} bytes`, response.status);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = jsonOrUndefined(text);
  return isObject(value) ? value : undefined;
}
