/** An HTTP server with scripted responses for AWS clients; it records its requests. */
import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { serve } from './serve.ts';

interface Asked {
  readonly method: string;
  readonly path: string;
  /** `X-Amz-Target`, the operation of JSON protocols. */
  readonly target: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Scripted {
  readonly status?: number;
  readonly body?: unknown;
  readonly contentType?: string;
}

/** Returns an error in the format of the AWS JSON protocols. */
export const awsError = (name: string, status = 400): Scripted => ({ status, body: { __type: name, message: name } });

export async function scriptedAws() {
  const asked: Asked[] = [];
  let script: Scripted[] = [];
  const { url: endpoint, stop } = await serve(async (request, response) => {
    const body = await text(request);
    const { method = '', url = '', headers } = request;
    asked.push({ method, path: url, headers, body, target: headers['x-amz-target']?.toString() });
    const {
      status = 200,
      body: answer = {},
      contentType = 'application/x-amz-json-1.0',
    } = script.shift() ?? awsError('Unscripted', 500);
    response.writeHead(status, { 'content-type': contentType });
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });

  return {
    asked,
    /** Options for any client: this server, one attempt, throwaway credentials. */
    client: {
      endpoint,
      region: 'us-east-1',
      maxAttempts: 1,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    },
    answers(...next: Scripted[]): void {
      script = next;
      asked.length = 0;
    },
    stop,
  };
}
