/** A DynamoDB-compatible in-memory server that the local store is compared with. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { resolve } from 'node:path';

export interface ReferenceServer {
  readonly endpoint: string;
  /** Sends one operation in its wire format, and returns the response or error. */
  ask(operation: string, body: string): Promise<{ readonly status: number; readonly text: string }>;
  stop(): void;
}

/** Returns this platform's binary, or undefined if no package exists for the platform. */
export function referenceBinary(): string | undefined {
  try {
    return createRequire(resolve('package.json')).resolve(`@dynoxide/${process.platform}-${process.arch}/dynoxide`);
  } catch {
    return undefined;
  }
}

const headers = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-date': '20260101T000000Z',
  authorization: `AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`,
};

export async function startReference(binary: string): Promise<ReferenceServer> {
  const { child, port } = await launched(binary);
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async ask(operation, body) {
      const answer = await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        headers: { ...headers, 'x-amz-target': `DynamoDB_20120810.${operation}` },
        body,
      });
      return { status: answer.status, text: await answer.text() };
    },
    stop() {
      process.off('exit', killWithUs);
      child.kill('SIGKILL');
    },
  };
}

/**
 * Launches the server. Another process may take the port between the check and the server's bind; then the next port is
 * tried.
 */
async function launched(binary: string): Promise<{ child: ChildProcess; port: number }> {
  for (let tries = 1; ; tries++) {
    const port = await freePort();
    const child = spawn(binary, ['serve', '--host', '127.0.0.1', '--port', String(port)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const said = await listening(child);
    if (said === undefined) return { child, port };
    if (tries === 5) throw new Error(`The reference server did not start: ${said}`);
  }
}

/** Returns undefined once the server listens, otherwise its last output. */
function listening(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = '';
    child.once('exit', () => resolve(said || 'no message'));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2_000);
      if (said.includes('listening on')) resolve(undefined);
    });
  });
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return port;
}
