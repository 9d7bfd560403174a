/** Clients of the local edge. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './test-edge.ts';

/** Echoes the received request in its response. */
export function echo(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, url, headers } = request;
    response.setHeader('set-cookie', ['a=1', 'b=2']);
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        method,
        url,
        headers,
        body: Buffer.concat(chunks).toString().slice(0, 100),
        bytes: Buffer.concat(chunks).length,
      }),
    );
  });
}
export const errorOf = ({ body }: Answer) =>
  (JSON.parse(body) as { error: { code: number; type: string; message: string } }).error;
export const protocols = ['h1', 'h2', 'h2c'] as const;
