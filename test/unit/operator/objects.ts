/** Objects for operator tests, as an API server would serve them. */
import type { Deployment, Gateway, Part, PartKind, PartSpec, Secret } from '../../../operator/resources.ts';

const namespace = 'governance';
export const gateway = (over: Partial<Gateway['spec']> = {}, more: Partial<Gateway> = {}): Gateway => ({
  apiVersion: 'governance.dev/v1alpha1',
  kind: 'Gateway',
  metadata: { name: 'main', namespace, generation: 1, finalizers: ['governance.dev/in-use'] },
  spec: { service: { name: 'gateway' }, adminToken: { secretKeyRef: { name: 'admin', key: 'token' } }, ...over },
  ...more,
});
export const part = (kind: PartKind, name: string, spec: Omit<PartSpec, 'gateway'>, more: Partial<Part> = {}): Part =>
  ({
    apiVersion: 'governance.dev/v1alpha1',
    kind,
    metadata: { name, namespace, generation: 1, finalizers: ['governance.dev/in-use'] },
    spec: { gateway: 'main', ...spec },
    ...more,
  }) as Part;
export const tenant = (name: string, secret = `${name}-key`): Part =>
  part('Tenant', name, { keys: [{ secretKeyRef: { name: secret, key: 'key' }, role: 'operator', kind: 'agent' }] });
export const secret = (
  name: string,
  data: Record<string, string>,
  labels: Record<string, string> = { 'governance.dev/usable-by': 'main' },
): [string, Secret] => [
  name,
  {
    metadata: { name, namespace, labels },
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
  },
];
export const deployment = (over: Partial<Deployment['spec']['template']> = {}): Deployment => ({
  metadata: { name: 'gateway', namespace, generation: 1 },
  spec: { replicas: 1, template: { spec: { containers: [{ name: 'gateway', env: [] }] }, ...over } },
  status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1 },
});
