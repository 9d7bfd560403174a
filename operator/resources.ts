/** The custom resources of `governance.dev/v1alpha1`, and the built-in resources that the operator reads. */

export const group = 'governance.dev';
export const groupVersion = `${group}/v1alpha1`;

/** Kinds whose objects refer to a Gateway and become parts of its configuration. */
const partKinds = ['Provider', 'Route', 'Tenant', 'Policy'] as const;
export type PartKind = (typeof partKinds)[number];
export type ResourceKind = 'Gateway' | PartKind;
export const kinds: readonly ResourceKind[] = ['Gateway', ...partKinds];

export const plurals: Readonly<Record<ResourceKind, string>> = {
  Gateway: 'gateways',
  Provider: 'providers',
  Route: 'routes',
  Tenant: 'tenants',
  Policy: 'policies',
};

/** Field manager name for the fields that the operator writes. */
export const fieldManager = 'governance-operator';
/** Finalizer that prevents a deleted object from being removed while the gateway still uses its content. */
export const finalizer = `${group}/in-use`;
/** Label on a Secret: the name of the Gateway whose objects may refer to it. */
export const usableBy = `${group}/usable-by`;
/** Annotation on the pod template. It changes with the secrets' values, so that new pods read them. */
export const secretsAnnotation = `${group}/secrets`;

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface Condition {
  readonly type: 'Ready' | 'Synced';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
}

export interface SecretKeyRef {
  readonly name: string;
  readonly key: string;
}
interface SecretReference {
  readonly secretKeyRef: SecretKeyRef;
}
type Fields = Readonly<Record<string, unknown>>;

interface GatewaySpec {
  /** The admin surface's service, in the object's namespace. */
  readonly service: { readonly name: string; readonly port?: number; readonly scheme?: 'http' | 'https' };
  /** The gateway's Deployment. The operator owns the secret variables in its container. */
  readonly deployment?: { readonly name: string; readonly container?: string };
  readonly adminToken: SecretReference;
  /** Additional secrets that the configuration names, passed to the container as variables. */
  readonly secrets?: readonly (SecretReference & { readonly name: string })[];
  /** The configuration, without the sections that come from other objects. */
  readonly configuration?: Fields;
}
export interface GatewayStatus {
  readonly conditions?: readonly Condition[];
  readonly observedGeneration?: number;
  /** Version of the last configuration stored. */
  readonly version?: number;
  /** SHA-256 of that configuration, computed by the gateway. */
  readonly sha256?: string;
  /** SHA-256 of the text that was sent. */
  readonly composed?: string;
  readonly warnings?: readonly string[];
}

export interface PartSpec extends Fields {
  /** Name of the Gateway in the same namespace. */
  readonly gateway: string;
  readonly order?: number;
}

interface Resource<Spec = Fields, Status = Fields> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec: Spec;
  readonly status?: Status;
}
export type Gateway = Resource<GatewaySpec, GatewayStatus>;
export interface PartStatus {
  readonly conditions?: readonly Condition[];
  readonly observedGeneration?: number;
}
export type Part = Resource<PartSpec, PartStatus> & { readonly kind: PartKind };

/** A Secret, with its values in Base64. */
export interface Secret {
  readonly metadata: Metadata;
  /** True if the operator's role does not allow reading this secret, in which case its existence is unknown. */
  readonly isForbidden?: true;
  readonly data?: Readonly<Record<string, string>>;
}

export interface EnvironmentEntry {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: SecretKeyRef };
}
export interface Deployment {
  readonly metadata: Metadata;
  readonly spec: {
    readonly replicas?: number;
    readonly template: {
      readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly { readonly name: string; readonly env?: readonly EnvironmentEntry[] }[];
      };
    };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
  };
}
