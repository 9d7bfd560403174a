/**
 * A real kube-apiserver on loopback, with its store in a temporary folder. Its audit log shows each user's requests.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Loose } from '../support/loose.ts';

export interface Asked {
  readonly user: string;
  readonly verb: string;
  /** `<group>/<resource>`, with `/<subresource>`. */
  readonly resource: string;
  readonly name: string;
  readonly status: number;
}

export type Send = (
  method: string,
  path: string,
  body?: unknown,
  type?: string,
) => Promise<{ readonly status: number; readonly body: Loose }>;

const readyWithinMs = 180_000;

/** @param program from `builtPrograms`. @throws Error with the end of its log if it does not become ready. */
export async function startApiServer(program: string) {
  const folder = mkdtempSync(join(tmpdir(), 'kube-apiserver-'));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const port = await freePort();
  const adminToken = randomBytes(24).toString('hex');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = file('accounts.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const child: ChildProcess = spawn(
    program,
    [
      join(folder, 'etcd'),
      ...['--bind-address=127.0.0.1', `--secure-port=${port}`, `--cert-dir=${join(folder, 'certificates')}`],
      ...['--service-cluster-ip-range=10.96.0.0/24', '--endpoint-reconciler-type=none'],
      ...['--service-account-issuer=https://kubernetes.default.svc', '--api-audiences=https://kubernetes.default.svc'],
      ...[`--service-account-signing-key-file=${key}`, `--service-account-key-file=${key}`],
      ...[
        '--authorization-mode=RBAC',
        `--token-auth-file=${file('tokens.csv', `${adminToken},tester,1,system:masters\n`)}`,
      ],
      ...[`--audit-policy-file=${file('audit.json', JSON.stringify(auditPolicy))}`],
      ...[`--audit-log-path=${join(folder, 'audit.log')}`, '--audit-log-mode=blocking-strict'],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const log = createWriteStream(join(folder, 'server.log'));
  child.stdout!.pipe(log);
  child.stderr!.pipe(log);
  const url = `https://127.0.0.1:${port}`;
  const certificate = join(folder, 'certificates', 'apiserver.crt');

  const as =
    (token: string): Send =>
    async (method, path, body, type = 'application/json') => {
      const answer = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': type }),
          ...(type.includes('as=Table') && { accept: type }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      // The store for a definition is opened with its first request.
      if (answer.status === 429) return wait(200).then(() => as(token)(method, path, body, type));
      return { status: answer.status, body: isJson(text) ? JSON.parse(text) : { message: text } };
    };

  const stop = async () => {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const isReady = async () => {
    try {
      setDefaultCACertificates([...getCACertificates('default'), readFileSync(certificate, 'utf8')]);
      return (await as(adminToken)('GET', '/readyz')).status === 200;
    } catch {
      return false;
    }
  };
  const begun = performance.now();
  while (!(await isReady())) {
    if (child.exitCode !== null || performance.now() - begun > readyWithinMs) {
      const said = readFileSync(join(folder, 'server.log'), 'utf8').slice(-3000);
      await stop();
      throw new Error(`kube-apiserver did not become ready:\n${said}`);
    }
    await wait(250);
  }
  return {
    url,
    port,
    certificate,
    /** Calls as a member of the group system:masters. */
    admin: as(adminToken),
    as,
    stop,
    /** Returns the requests that service accounts have made so far. */
    asked: (): Asked[] => readFileSync(join(folder, 'audit.log'), 'utf8').split('\n').filter(Boolean).map(askedOf),
  };
}

/** Policy that logs only answered requests from service accounts. */
const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [{ level: 'Metadata', userGroups: ['system:serviceaccounts'] }, { level: 'None' }],
};

function askedOf(line: string): Asked {
  const { user, verb, objectRef = {}, responseStatus } = JSON.parse(line) as Loose;
  const { apiGroup = '', resource = '', subresource, name = '' } = objectRef;
  const what = `${apiGroup}/${resource}${subresource ? `/${subresource}` : ''}`;
  return { user: user.username, verb, resource: what, name, status: responseStatus?.code ?? 0 };
}

const isJson = (text: string): boolean => text.startsWith('{');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
