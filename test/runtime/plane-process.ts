/**
 * The streaming plane as its container starts it: the bundle in its own process, with credentials from the task's
 * endpoint.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';

export interface Plane {
  readonly url: string;
  /** Sends SIGTERM, as ECS does. */
  terminate(): void;
  /** The exit code, once the process has ended. */
  readonly exit: Promise<number | null>;
  log(): string;
  stop(): Promise<void>;
}

/** @param environment for the process, without its access keys: the process asks the endpoint that ECS names. */
export async function startPlane(environment: Readonly<Record<string, string>>): Promise<Plane> {
  const credentials = await taskCredentials();
  const { AWS_ACCESS_KEY_ID: _key, AWS_SECRET_ACCESS_KEY: _secret, ...told } = environment;
  const child = spawn(process.execPath, ['index.mjs'], {
    cwd: resolve('dist/streaming-plane'),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH ?? '',
      AWS_CONTAINER_CREDENTIALS_FULL_URI: credentials.url,
      PLANE_PORT: '0',
      PLANE_HOSTS: 'plane.example',
      PLANE_TLS: 'on',
      PLANE_IDLE_SECONDS: '180',
      PLANE_DRAIN_SECONDS: '110',
      ...told,
    },
  });
  let log = '';
  const ready = Promise.withResolvers<number>();
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      log += chunk;
      const [, port] = /"streaming plane ready".*?"port":(\d+)/.exec(log) ?? [];
      if (port) ready.resolve(Number(port));
    });
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  void exit.then((code) => ready.reject(new Error(`the plane ended (${code})\n${log.slice(-2_000)}`)));
  return {
    url: `http://127.0.0.1:${await ready.promise}`,
    terminate: () => void child.kill('SIGTERM'),
    exit,
    log: () => log,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await exit;
      await credentials.stop();
    },
  };
}

/** Serves the task credentials as ECS does. */
async function taskCredentials() {
  const body = JSON.stringify({
    AccessKeyId: 'task-key',
    SecretAccessKey: 'task-secret',
    Token: 'task-token',
    Expiration: '2099-01-01T00:00:00Z',
  });
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    await text(request);
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/credentials`,
    stop: () => {
      server.closeAllConnections();
      return new Promise<void>((stopped) => server.close(() => stopped()));
    },
  };
}
