/** The control plane over HTTP, with limits on time and size, no redirects, and the token sent only in a header. */

import { parseStrictBytes } from '#core/kernel/json.ts';
import { type ControlPlane, type ControlPlaneAddress, ControlPlaneRefusal } from '../ports.ts';

const withinMs = 10_000;
/** A configuration of at most 2 MB is sent, but its pack and prices make it larger. */
const maxBytes = 16 * 1024 * 1024;
/** Maximum number of members and elements: enough for a configuration with thousands of tenants. */
const maxValues = 500_000;

export const controlPlane: ControlPlane = {
  async config(to, etag) {
    const answer = await send(to, `config?plane=${encodeURIComponent(to.plane)}`, {
      headers: etag === undefined ? {} : { 'if-none-match': etag },
    });
    if (answer.status === 304 && etag !== undefined) return { changed: false };
    const document = await jsonOf(answer);
    return { changed: true, etag: answer.headers.get('etag') ?? '', document };
  },

  async post(to, what, body) {
    const headers = { 'content-type': 'application/json' };
    return jsonOf(await send(to, what, { method: 'POST', headers, body: JSON.stringify(body) }));
  },
};

function send({ url, token }: ControlPlaneAddress, path: string, options: RequestInit): Promise<Response> {
  return fetch(`${url.replace(/\/+$/, '')}/admin/v1/federation/${path}`, {
    ...options,
    headers: {
      ...(options.headers as Record<string, string>),
      accept: 'application/json',
      authorization: `Bearer ${token}`,
    },
    redirect: 'error',
    signal: AbortSignal.timeout(withinMs),
  });
}

async function jsonOf(answer: Response): Promise<unknown> {
  const bytes = await boundedBytes(answer);
  if (answer.status === 200) {
    try {
      return parseStrictBytes(bytes, { values: maxValues });
    } catch (fault) {
      throw new ControlPlaneRefusal(200, `the control plane did not answer with JSON: ${(fault as Error).message}`);
    }
  }
  throw new ControlPlaneRefusal(answer.status, `the control plane answered ${answer.status}: ${messageIn(bytes)}`);
}

async function boundedBytes({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new ControlPlaneRefusal(413, `the control plane sent more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns the message of a gateway error, or an empty string for any other response body. */
function messageIn(bytes: Buffer): string {
  try {
    const { error } = JSON.parse(bytes.toString('utf8')) as { error?: { message?: unknown } };
    return typeof error?.message === 'string' ? error.message.slice(0, 300) : 'no reason given';
  } catch {
    return 'no reason given';
  }
}
