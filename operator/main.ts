/** Runs the operator in a cluster, with access through its service account and settings from the environment. */
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { serviceAddress } from './gateway-api.ts';
import { kubernetesApi } from './kubernetes-api.ts';
import { runOperator } from './run.ts';

const account = '/var/run/secrets/kubernetes.io/serviceaccount';
const leaseName = 'governance-operator';

/**
 * Runs the operator. Outside a cluster (in development), `KUBERNETES_API` is the address of `kubectl proxy`,
 * `OPERATOR_NAMESPACE` is the namespace and `OPERATOR_GATEWAY_ADDRESS` is the address of the admin surface.
 * @throws Error if a setting is missing or invalid.
 */
export async function main(environment: NodeJS.ProcessEnv, ended: AbortSignal): Promise<void> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  const outside = environment.KUBERNETES_API;
  if (!host && !outside)
    throw new Error(
      'Found neither KUBERNETES_SERVICE_HOST nor KUBERNETES_API. Run it in a pod, or name the address of kubectl proxy.',
    );
  const server = outside ?? `https://${host?.includes(':') ? `[${host}]` : host}:${port}`;
  const namespace = environment.OPERATOR_NAMESPACE ?? (await readFile(`${account}/namespace`, 'utf8')).trim();
  const tokenFile = environment.KUBERNETES_TOKEN_FILE ?? `${account}/token`;
  const token = async () =>
    outside && !environment.KUBERNETES_TOKEN_FILE ? '' : (await readFile(tokenFile, 'utf8')).trim();
  const fixed = environment.OPERATOR_GATEWAY_ADDRESS;
  await runOperator({
    api: kubernetesApi({ server, namespace, token }),
    lease: {
      name: leaseName,
      identity: environment.OPERATOR_IDENTITY ?? `${hostname()}_${process.pid}`,
      durationMs: 1000 * seconds(environment, 'OPERATOR_LEASE_SECONDS', 15),
      renewMs: (1000 * seconds(environment, 'OPERATOR_LEASE_SECONDS', 15)) / 6,
    },
    resyncMs: 1000 * seconds(environment, 'OPERATOR_RESYNC_SECONDS', 30),
    addressOf: (gateway) => fixed ?? serviceAddress(gateway),
    log: (event, fields) =>
      process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), event, ...fields })}\n`),
    ended,
  });
}

function seconds(environment: NodeJS.ProcessEnv, name: string, standard: number): number {
  const text = environment[name] ?? String(standard);
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new Error(`${name}: found ${JSON.stringify(text)}. Allowed: seconds from 1 to 9999.`);
}
