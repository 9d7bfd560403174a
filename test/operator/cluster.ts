/** The chart in a real API server, a real gateway, and operators as processes under the chart's service account. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { startChild } from '../../bench/host.ts';
import type { Condition, GatewayStatus } from '../../operator/resources.ts';
import type { Loose } from '../support/loose.ts';
import { type OperatorProcess, startOperatorProcess } from '../support/operator-process.ts';
import { startApiServer } from './api-server.ts';
import type { Programs } from './build.ts';

const root = resolve(import.meta.dirname, '../..');
const chart = join(root, 'charts/agent-governance-gateway');
export const namespace = 'governance';
export const adminToken = 'administrator-of-the-operator-tier';
/** Returns the path for objects of one kind in the test namespace. */
export const at = (api: string, plural: string, name = ''): string =>
  `/${api}/namespaces/${namespace}/${plural}${name && `/${name}`}`;
export const custom = (plural: string, name = ''): string => at('apis/governance.dev/v1alpha1', plural, name);
export const deployment = at('apis/apps/v1', 'deployments', 'main-gateway');

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Returns the chart's templates as objects; @throws Error with Helm's message. */
export function rendered(programs: Programs, values: object): Loose[] {
  const text = helm(programs, 'template', values);
  return parseAllDocuments(text).flatMap((document) => document.toJS() ?? []);
}
export const helm = ({ chart: program }: Programs, command: 'lint' | 'template', values: object): string =>
  execFileSync(program, [command, chart, 'main', namespace, JSON.stringify(values)], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
export const values = { image: { repository: 'registry.example.com/gateway' } };

export async function startCluster(programs: Programs) {
  const folder = mkdtempSync(join(tmpdir(), 'operator-tier-'));
  const [api, gateway] = await Promise.all([
    startApiServer(programs.apiserver),
    startChild(
      'bin/local.ts',
      ['--state', join(folder, 'state'), '--no-edge', '--gateway-port', '0', '--admin-port', '0', '--mcp-port', '0'],
      {
        env: {
          GATEWAY_ADMIN_TOKEN: adminToken,
          GATEWAY_SECRET_NAMES: 'PROVIDER_OPENAI_API_KEY',
          PROVIDER_OPENAI_API_KEY: 'sk-1',
        },
      },
    ),
  ]);
  const { admin } = api;
  const gatewayUrl = gateway.ready.admin_url as string;
  const operators: OperatorProcess[] = [];

  /** @throws Error if the API server refuses. */
  async function must(method: string, path: string, body?: unknown, type?: string): Promise<Loose> {
    const answer = await admin(method, path, body, type);
    if (answer.status < 300) return answer.body;
    throw new Error(`${method} ${path}: ${answer.status} ${answer.body.message}`);
  }
  const apply = (object: Loose, manager = 'helm') =>
    must('PATCH', `${pathOf(object)}?fieldManager=${manager}&force=true&fieldValidation=Strict`, object, applyType);

  await must('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  for (const name of readdirSync(join(chart, 'crds')))
    await apply(parseAllDocuments(readFileSync(join(chart, 'crds', name), 'utf8'))[0]!.toJS());
  await until(async () => {
    const { items } = await must('GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions');
    return items.every((each: Loose) => conditionOf(each.status, 'Established') === 'True');
  }, 'the definitions to be established');
  for (const object of rendered(programs, values)) await apply(object);

  const account = await must('POST', at('api/v1', 'serviceaccounts', 'main-operator/token'), {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 3600 },
  });
  const token: string = account.status.token;
  writeFileSync(join(folder, 'token'), token, { mode: 0o600 });
  writeFileSync(join(folder, 'ca.crt'), readFileSync(api.certificate));

  /**
   * Starts an operator as in a pod: with the service address, a token in a file and the cluster's certificate
   * authority.
   */
  function startOperator(identity: string, more: Record<string, string> = {}): OperatorProcess {
    const operator = startOperatorProcess({
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.crt'),
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(api.port),
      KUBERNETES_TOKEN_FILE: join(folder, 'token'),
      OPERATOR_NAMESPACE: namespace,
      OPERATOR_GATEWAY_ADDRESS: gatewayUrl,
      OPERATOR_IDENTITY: identity,
      ...more,
    });
    operators.push(operator);
    return operator;
  }

  const read = async (path: string): Promise<Loose> => (await admin('GET', path)).body;
  const statusOf = async (plural: string, name: string): Promise<GatewayStatus | undefined> =>
    (await read(custom(plural, name))).status;
  const synced = async (plural: string, name: string): Promise<Condition | undefined> =>
    (await statusOf(plural, name))?.conditions?.find(({ type }) => type === 'Synced');
  /** Reports a completed rollout, in place of the Deployment controller, which does not run here. */
  const rolledOut = async () => {
    const { metadata, spec } = await must('GET', deployment);
    const { replicas } = spec;
    const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas };
    const status = { observedGeneration: metadata.generation, ...counts };
    await must('PATCH', `${deployment}/status`, { status }, 'application/merge-patch+json');
  };
  const called = (path: string, key: string, init: RequestInit = {}) =>
    fetch(`${gatewayUrl}/admin/v1/${path}`, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });

  return {
    api,
    token,
    must,
    apply,
    read,
    startOperator,
    statusOf,
    synced,
    called,
    isSynced: async (plural: string, name: string) => (await synced(plural, name))?.status === 'True',
    /** Waits for a condition while pods run their template. */
    settled: (holds: () => Promise<boolean>, what: string) =>
      until(
        async () => {
          await rolledOut();
          return holds();
        },
        what,
        () => operators.map(({ log }) => log().slice(-2000)).join('\n'),
      ),
    create: (kind: string, plural: string, name: string, spec: object) =>
      must('POST', `${custom(plural)}?fieldValidation=Strict`, objectOf(kind, name, spec)),
    secret: (name: string, data: Readonly<Record<string, string>>) =>
      apply(
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name, namespace, labels: { 'governance.dev/usable-by': 'main' } },
          stringData: data,
        },
        'tests',
      ),
    /** Checks whether a key is known: it may call, or is refused because it is an agent's key. */
    works: async (key: string) => [200, 403].includes((await called('policies', key)).status),
    live: async () => (await (await called('config', adminToken)).json()) as Loose,
    /** Stops the operators, and removes the objects that a check created. */
    async clear() {
      for (const operator of operators.splice(0)) await operator.stop('SIGTERM');
      for (const plural of ['tenants', 'policies', 'routes', 'providers', 'gateways']) {
        const { items } = await must('GET', custom(plural));
        for (const { metadata } of items) {
          const freed = { metadata: { finalizers: null } };
          await admin('PATCH', custom(plural, metadata.name), freed, 'application/merge-patch+json');
          await admin('DELETE', custom(plural, metadata.name));
        }
      }
    },
    async stop() {
      for (const operator of operators) await operator.stop('SIGKILL');
      await Promise.all([api.stop(), gateway.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const applyType = 'application/apply-patch+yaml';
export const objectOf = (kind: string, name: string, spec: object) => ({
  apiVersion: 'governance.dev/v1alpha1',
  kind,
  metadata: { name, namespace },
  spec,
});
export const gatewaySpec = {
  service: { name: 'main-gateway' },
  deployment: { name: 'main-gateway' },
  adminToken: { secretKeyRef: { name: 'governance-admin', key: 'token' } },
  configuration: { tool_policies: { pack: 'readonly' } },
};
export const tenantSpec = (secret: string, key = 'key') => ({
  gateway: 'main',
  keys: [{ secretKeyRef: { name: secret, key }, role: 'operator', kind: 'agent' }],
});

export const conditionOf = (status: Loose, type: string): string | undefined =>
  status?.conditions?.find((each: Loose) => each.type === type)?.status;

const longestMs = 200_000;
/** Waits for a condition; a check that times out reports the condition. */
async function until(holds: () => Promise<boolean>, what: string, said = () => ''): Promise<void> {
  const begun = performance.now();
  while (!(await holds())) {
    if (performance.now() - begun > longestMs) throw new Error(`waited in vain for ${what}\n${said()}`);
    await wait(50);
  }
}

const plurals: Readonly<Record<string, string>> = {
  NetworkPolicy: 'networkpolicies',
  CustomResourceDefinition: 'customresourcedefinitions',
};
function pathOf({ apiVersion, kind, metadata }: Loose): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const plural = plurals[kind] ?? `${kind.toLowerCase()}s`;
  const within = kind === 'CustomResourceDefinition' ? '' : `/namespaces/${namespace}`;
  return `${group}${within}/${plural}/${metadata.name}`;
}
