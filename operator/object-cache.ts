/** Caches the objects of all kinds with one list request and one watch per kind. */
import { setTimeout as wait } from 'node:timers/promises';
import { type CustomResource, type KubernetesApi, KubernetesError } from './kubernetes-api.ts';
import { type Gateway, kinds, type Part, type ResourceKind } from './resources.ts';

export interface ObjectCache {
  gateways(): Gateway[];
  /** Returns all objects that refer to a Gateway. */
  parts(): Part[];
  /** Stores the result of a write immediately; the corresponding watch event then has no effect. */
  put(object: CustomResource): void;
}

/** Starts the watches. @param changed called after each change, except changes made by `put`. */
export async function watchObjects(
  api: KubernetesApi,
  { changed, report }: { changed(): void; report(fault: unknown): void },
  signal: AbortSignal,
): Promise<ObjectCache & { readonly ended: Promise<unknown> }> {
  const objects = new Map<string, CustomResource>();
  const keyOf = ({ kind, metadata }: CustomResource) => `${kind}/${metadata.name}`;
  const ofKind = (kind: ResourceKind) => [...objects.values()].filter((object) => object.kind === kind);

  function put(object: CustomResource): boolean {
    const known = objects.get(keyOf(object));
    if (known && !isNewer(object, known)) return false;
    if (isGone(object)) objects.delete(keyOf(object));
    else objects.set(keyOf(object), object);
    return true;
  }

  async function load(kind: ResourceKind): Promise<string> {
    const { items, resourceVersion } = await api.list(kind);
    const listed = new Set(items.map(keyOf));
    for (const object of ofKind(kind)) if (!listed.has(keyOf(object))) objects.delete(keyOf(object));
    for (const item of items) put(item);
    changed();
    return resourceVersion;
  }

  async function follow(kind: ResourceKind, listedAt: string): Promise<void> {
    let version: string | undefined = listedAt;
    while (!signal.aborted) {
      try {
        version ??= await load(kind);
        for await (const { type, object } of api.watch(kind, version, signal)) {
          version = object.metadata.resourceVersion!;
          if (type === 'BOOKMARK') continue;
          if (type === 'DELETED' ? objects.delete(keyOf(object)) : put(object)) changed();
        }
        await wait(reopenMs, undefined, { signal });
      } catch (fault) {
        if (signal.aborted) return;
        report(fault);
        // The history since this version is gone, so all objects are listed again.
        if (fault instanceof KubernetesError && fault.status === 410) version = undefined;
        await wait(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  const versions = await Promise.all(kinds.map((kind) => load(kind)));
  const ended = Promise.all(kinds.map((kind, at) => follow(kind, versions[at]!)));
  return {
    gateways: () => ofKind('Gateway') as Gateway[],
    parts: () => [...objects.values()].filter(({ kind }) => kind !== 'Gateway') as Part[],
    put,
    ended,
  };
}

const retryMs = 1000;
const reopenMs = 100;

/** Checks whether the server has removed an object, which happens with the write that removes the last finalizer. */
const isGone = ({ metadata }: CustomResource): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;

const isNewer = (one: CustomResource, other: CustomResource): boolean =>
  one.metadata.uid !== other.metadata.uid ||
  BigInt(one.metadata.resourceVersion!) > BigInt(other.metadata.resourceVersion!);
