/** Runs `agentctl` against a real, scripted HTTP server. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ran, runWarm } from '../../support/warm-agentctl.ts';

const root = join(__dirname, '../../..');
/** Compile cache, so that code is compiled once instead of at each of two hundred starts. */
const NODE_COMPILE_CACHE = join(root, 'node_modules/.cache/agentctl-tests');

export interface Seen {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly key: string | undefined;
  readonly type: string | undefined;
  readonly body: string;
  /** `x-session-id` and `x-approval-ref`. */
  readonly session: string | undefined;
  readonly approvalRef: string | undefined;
  readonly lastEventId: string | undefined;
  readonly idempotencyKey: string | undefined;
}
type Reply = (response: ServerResponse, request: Seen) => void;

export interface Scripted {
  readonly url: string;
  readonly seen: Seen[];
  /** Responds to `METHOD /path` (without query) with JSON, or with the function's result. */
  on(call: string, answer: unknown, status?: number): void;
  reset(): void;
  stop(): Promise<void>;
}

export async function startServer(): Promise<Scripted> {
  const replies = new Map<string, Reply>();
  const seen: Seen[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const call = await read(request);
    seen.push(call);
    const reply = replies.get(`${call.method} ${call.path.split('?')[0]}`) ?? notScripted;
    reply(response, call);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    on: (call, answer, status = 200) =>
      replies.set(
        call,
        typeof answer === 'function' ? (answer as Reply) : (response) => sendJson(response, status, answer),
      ),
    reset: () => {
      replies.clear();
      seen.length = 0;
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/**
 * Starts a server for all tests of a file, which `home` records as running. It is reset before each test and removed
 * with `home` after the last.
 */
export function serverOf(home: Home): Pick<Scripted, 'on' | 'seen' | 'url'> {
  let started: Scripted;
  beforeAll(async () => {
    started = await startServer();
    home.running(started.url);
  });
  beforeEach(() => started.reset());
  afterAll(async () => {
    home.remove();
    await started.stop();
  });
  return {
    on: (...script) => started.on(...script),
    get seen() {
      return started.seen;
    },
    get url() {
      return started.url;
    },
  };
}

export const errorBody = (code: number, type: string, message: string) => ({ error: { code, type, message } });

function sendJson(response: ServerResponse, status: number, answer: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
}

const notScripted: Reply = (response, { method, path }) =>
  sendJson(response, 404, errorBody(404, 'not_found', `${method} ${path} is not scripted`));

async function read(request: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = '', url: path = '', headers } = request;
  const key = headers['x-api-key'];
  const body = Buffer.concat(chunks).toString('utf8');
  const [session, approvalRef, lastEventId] = ['x-session-id', 'x-approval-ref', 'last-event-id'].map((name) =>
    headers[name]?.toString(),
  );
  return {
    method,
    path,
    key: Array.isArray(key) ? key.join() : key,
    type: headers['content-type'],
    body,
    session,
    approvalRef,
    lastEventId,
    idempotencyKey: headers['idempotency-key']?.toString(),
  };
}

interface Surroundings {
  readonly env?: Record<string, string>;
  readonly stdin?: string;
}

/** A separate home for each test file, so that no user's configuration or keys are read. */
export class Home {
  readonly folder = mkdtempSync(join(tmpdir(), 'agentctl-'));
  readonly state = join(this.folder, 'state');
  readonly keys = { agent: 'agent-key', human: 'human-key', viewer: 'viewer-key', admin_token: 'admin-token' };

  readonly #env = { PATH: process.env.PATH, HOME: this.folder, GATEWAY_STATE: this.state };

  constructor() {
    mkdirSync(this.state);
  }

  /** Writes the files that a local run at these addresses leaves behind. */
  running(adminUrl: string, gatewayUrl?: string): void {
    const keys_file = this.write('state/keys.json', JSON.stringify(this.keys));
    this.write(
      'state/ready.json',
      JSON.stringify({ event: 'ready', admin_url: adminUrl, gateway_url: gatewayUrl, keys_file }),
    );
  }

  write(name: string, content: string | Uint8Array): string {
    const file = join(this.folder, name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  run(args: readonly string[], { env, stdin }: Surroundings = {}): Promise<Ran> {
    return runWarm({ args, cwd: this.folder, env: { ...this.#env, ...env }, stdin });
  }

  /** Starts a real process, which `run` avoids. */
  start(args: readonly string[], options: Surroundings = {}): Promise<Ran> {
    return this.node([join(root, 'bin/agentctl.ts'), ...args], options);
  }

  node(args: readonly string[], { env, stdin = '' }: Surroundings = {}): Promise<Ran> {
    return new Promise((resolve, reject) => {
      const child = spawn(join(root, 'node_modules/.bin/node'), args, {
        cwd: this.folder,
        env: { ...this.#env, NODE_COMPILE_CACHE, ...env },
      });
      let [out, err] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        out += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        err += text;
      });
      child.on('error', reject).on('close', (code) => resolve({ code: code ?? -1, out, err }));
      // A program that refuses its arguments may exit before it reads; then its exit code and output count.
      child.stdin.on('error', () => {}).end(stdin);
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
