/** Builds the secret-related variables for the gateway's Deployment: names of secrets, and a digest of their values. */
import { createHmac } from 'node:crypto';
import { type Sources, secretValue } from './compose.ts';
import {
  type Deployment,
  type EnvironmentEntry,
  type Gateway,
  type SecretKeyRef,
  secretsAnnotation,
} from './resources.ts';

/** The Deployment fields that the operator owns: the body of a server-side apply. */
export interface AppliedDeployment {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'Deployment';
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly { readonly name: string; readonly env: readonly EnvironmentEntry[] }[];
      };
    };
  };
}

/** Returns the variables and `GATEWAY_SECRET_NAMES`, because the gateway uses only the secrets listed there. */
export function wantedDeployment(
  gateway: Gateway,
  environment: readonly EnvironmentEntry[],
  secrets: Sources['secrets'],
): AppliedDeployment | undefined {
  const { deployment, adminToken } = gateway.spec;
  if (!deployment) return undefined;
  const listed = { name: 'GATEWAY_SECRET_NAMES', value: environment.map(({ name }) => name).join(',') };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: deployment.name, namespace: gateway.metadata.namespace ?? 'default' },
    spec: {
      template: {
        metadata: {
          annotations: { [secretsAnnotation]: secretsDigest(adminToken.secretKeyRef, environment, secrets) },
        },
        spec: { containers: [{ name: deployment.container ?? 'gateway', env: [...environment, listed] }] },
      },
    },
  };
}

/** Returns a digest keyed by the admin token, so that a reader of the Deployment cannot guess short secrets from it. */
function secretsDigest(
  token: SecretKeyRef,
  environment: readonly EnvironmentEntry[],
  secrets: Sources['secrets'],
): string {
  const values = environment.map(({ name, valueFrom }) => {
    const ref = valueFrom?.secretKeyRef;
    return [name, ref, ref && secretValue(ref, secrets)];
  });
  const key = secretValue(token, secrets) ?? '';
  return createHmac('sha256', key).update(JSON.stringify(values)).digest('hex').slice(0, 32);
}

/** Returns whether the Deployment has the operator's fields. The digest covers names, so removals are detected. */
export function isApplied(wanted: AppliedDeployment, found: Deployment): boolean {
  const { template } = wanted.spec;
  const container = template.spec.containers[0]!;
  const env = found.spec.template.spec.containers.find(({ name }) => name === container.name)?.env ?? [];
  const same = (entry: EnvironmentEntry) =>
    env.some(
      ({ name, value, valueFrom }) =>
        name === entry.name &&
        (value ?? '') === (entry.value ?? '') &&
        valueFrom?.secretKeyRef?.name === entry.valueFrom?.secretKeyRef?.name &&
        valueFrom?.secretKeyRef?.key === entry.valueFrom?.secretKeyRef?.key,
    );
  const digest = template.metadata.annotations[secretsAnnotation];
  return found.spec.template.metadata?.annotations?.[secretsAnnotation] === digest && container.env.every(same);
}

/** Returns whether all pods run the current template. */
export function isRolledOut({ metadata, spec, status = {} }: Deployment): boolean {
  const replicas = spec.replicas ?? 1;
  return (
    (status.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
    (status.updatedReplicas ?? 0) >= replicas &&
    (status.readyReplicas ?? 0) >= replicas &&
    (status.replicas ?? 0) <= replicas
  );
}
