/** The operator's requests to the Kubernetes API, each with the verb and resource that its role must grant. */
import { byteLines } from '#core/kernel/byte-lines.ts';
import type { AppliedDeployment } from './environment.ts';
import {
  type Deployment,
  fieldManager,
  type Gateway,
  group,
  groupVersion,
  type Part,
  plurals,
  type ResourceKind,
  type Secret,
} from './resources.ts';

/** A request that the API server refused. `reason` is the machine-readable reason of its Status object. */
export class KubernetesError extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

export type CustomResource = Gateway | Part;
interface ResourceList {
  readonly items: readonly CustomResource[];
  readonly resourceVersion: string;
}
interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: CustomResource;
}
export interface Lease {
  readonly apiVersion: 'coordination.k8s.io/v1';
  readonly kind: 'Lease';
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  readonly spec: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

interface ApiAccess {
  /** Address of the API server, without a path. */
  readonly server: string;
  readonly namespace: string;
  /** Returns the token. Called for every request, because service account tokens rotate. */
  token(): Promise<string>;
}

const requestTimeoutMs = 15_000;
/** Duration of a watch. The server ends it after this time, and the operator opens the next one. */
const watchSeconds = 300;
const pageSize = 500;

export type KubernetesApi = ReturnType<typeof kubernetesApi>;

/** @throws KubernetesError for responses other than 2xx; TypeError or DOMException if there is no response. */
export function kubernetesApi({ server, namespace, token }: ApiAccess) {
  const custom = (kind: ResourceKind, name = '') => path(`apis/${groupVersion}`, plurals[kind], name);
  const path = (api: string, plural: string, name: string) =>
    `/${api}/namespaces/${encodeURIComponent(namespace)}/${plural}${name && `/${encodeURIComponent(name)}`}`;
  const leases = (name = '') => path('apis/coordination.k8s.io/v1', 'leases', name);
  const deployments = (name: string) => path('apis/apps/v1', 'deployments', name);

  async function send(
    method: string,
    target: string,
    more: { type?: string; body?: unknown; signal?: AbortSignal } = {},
  ) {
    const signal = more.signal ?? AbortSignal.timeout(requestTimeoutMs);
    const headers: Record<string, string> = { authorization: `Bearer ${await token()}`, accept: 'application/json' };
    if (more.body !== undefined) headers['content-type'] = more.type ?? 'application/json';
    const body = more.body === undefined ? null : JSON.stringify(more.body);
    const answer = await fetch(new URL(target, server), { method, headers, body, signal, redirect: 'error' });
    if (!answer.ok) throw await refusalOf(answer, method, target);
    return answer;
  }
  const read = async <Answer>(...request: Parameters<typeof send>) => (await (await send(...request)).json()) as Answer;
  const found = async <Answer>(target: string) =>
    read<Answer>('GET', target).catch((fault: unknown) => {
      if (fault instanceof KubernetesError && fault.status === 404) return undefined;
      throw fault;
    });

  return {
    /** Lists all objects of a kind, page by page. */
    async list(kind: ResourceKind): Promise<ResourceList> {
      const items: CustomResource[] = [];
      for (let next = ''; ; ) {
        const query = new URLSearchParams({ limit: String(pageSize), ...(next && { continue: next }) });
        const page = await read<{ items: CustomResource[]; metadata: { resourceVersion: string; continue?: string } }>(
          'GET',
          `${custom(kind)}?${query}`,
        );
        // Items in a list omit their kind.
        items.push(...page.items.map((item) => ({ ...item, kind, apiVersion: groupVersion }) as CustomResource));
        next = page.metadata.continue ?? '';
        if (!next) return { items, resourceVersion: page.metadata.resourceVersion };
      }
    },

    /**
     * Watches changes since a version until the server ends the watch.
     * @throws KubernetesError 410 if the version is too old.
     */
    async *watch(kind: ResourceKind, resourceVersion: string, ended: AbortSignal): AsyncGenerator<WatchEvent> {
      const query = new URLSearchParams({
        watch: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion,
        timeoutSeconds: String(watchSeconds),
      });
      // A silently broken connection is abandoned a little later than the server would end it.
      const signal = AbortSignal.any([ended, AbortSignal.timeout((watchSeconds + 30) * 1000)]);
      const answer = await send('GET', `${custom(kind)}?${query}`, { signal });
      for await (const { text, whole } of byteLines(answer.body!)) {
        if (!whole || text === '') continue;
        const event = JSON.parse(text) as WatchEvent;
        if (event.type === 'ERROR') {
          const { code, reason, message } = event.object as unknown as {
            code: number;
            reason: string;
            message: string;
          };
          throw new KubernetesError(code, reason, message);
        }
        yield event;
      }
    },

    /** Reads a secret, or marks it as forbidden, so that only the objects that need this secret fail. */
    secret: (name: string) =>
      found<Secret>(path('api/v1', 'secrets', name)).catch((fault: unknown): Secret => {
        if (fault instanceof KubernetesError && fault.status === 403) return { metadata: { name }, isForbidden: true };
        throw fault;
      }),
    deployment: (name: string) => found<Deployment>(deployments(name)),

    /** Applies the Deployment server-side: the operator takes ownership of these fields, even from another writer. */
    applyDeployment: (wanted: AppliedDeployment) => apply<Deployment>(deployments(wanted.metadata.name), wanted),

    /** @throws KubernetesError 409 if the object has changed since it was read. */
    setFinalizers: ({ kind, metadata: { name, resourceVersion } }: CustomResource, finalizers: readonly string[]) =>
      read<CustomResource>('PATCH', custom(kind as ResourceKind, name), {
        type: 'application/merge-patch+json',
        body: { metadata: { resourceVersion, finalizers } },
      }),

    /** Applies the whole status server-side. */
    applyStatus: ({ apiVersion, kind, metadata: { name } }: CustomResource, status: object) =>
      apply<CustomResource>(`${custom(kind as ResourceKind, name)}/status`, {
        apiVersion,
        kind,
        metadata: { name, namespace },
        status,
      }),

    lease: (name: string) => found<Lease>(leases(name)),
    createLease: (lease: Lease) => read<Lease>('POST', leases(), { body: lease }),
    /** @throws KubernetesError 409 if another replica updated it first. */
    updateLease: (lease: Lease) => read<Lease>('PUT', leases(lease.metadata.name), { body: lease }),
  };

  function apply<Answer>(target: string, body: unknown) {
    const query = new URLSearchParams({ fieldManager, force: 'true' });
    return read<Answer>('PATCH', `${target}?${query}`, { type: 'application/apply-patch+yaml', body });
  }
}

/** The permissions that the operator's role grants; the chart's role must match them. @internal */
export const permissions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  [group]: {
    ...Object.fromEntries(Object.values(plurals).map((plural) => [plural, ['list', 'patch', 'watch']])),
    ...Object.fromEntries(Object.values(plurals).map((plural) => [`${plural}/status`, ['patch']])),
  },
  '': { secrets: ['get'] },
  apps: { deployments: ['get', 'patch'] },
  'coordination.k8s.io': { leases: ['create', 'get', 'update'] },
};

async function refusalOf(answer: Response, method: string, target: string): Promise<KubernetesError> {
  const text = await answer.text();
  const { reason = '', message = text.slice(0, 500) } = statusIn(text);
  const [where] = target.split('?');
  return new KubernetesError(
    answer.status,
    reason,
    `${method} ${where} was answered with ${answer.status}: ${message}`,
  );
}

function statusIn(text: string): { reason?: string; message?: string } {
  try {
    return JSON.parse(text) as { reason?: string; message?: string };
  } catch {
    return {};
  }
}
