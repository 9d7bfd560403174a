/**
 * A small Kubernetes API server over HTTP: paged lists, watch with bookmarks, merge patch, server-side apply with field
 * owners, status as a subresource, generations, finalizers, conflicts by resourceVersion, and an enforced role. It
 * checks no schemas; the chart's test does.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Metadata } from '../../operator/resources.ts';

export interface KubeObject {
  readonly kind?: string;
  readonly metadata: Metadata;
  readonly [field: string]: unknown;
}
interface KubeRequest {
  readonly verb: string;
  /** `<group>/<resource>`, with `/status` for that subresource. */
  readonly resource: string;
  readonly name: string;
  readonly user: string;
}
interface Stored {
  object: KubeObject;
  readonly managed: Managed;
}
interface Change {
  readonly type: string;
  readonly resource: string;
  readonly version: number;
  readonly object: KubeObject;
}
type Grants = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export type KubeApi = Awaited<ReturnType<typeof kubeApi>>;

/** @param grants verbs by group and resource, for every token. */
export async function kubeApi(grants: Grants) {
  const objects = new Map<string, Stored>();
  const changes: Change[] = [];
  const watchers = new Set<{ resource: string; response: ServerResponse }>();
  const requests: KubeRequest[] = [];
  let version = 1000;
  const namespace = 'governance';

  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const url = new URL(request.url!, 'http://api');
    const at = /^\/(?:api|apis\/([^/]+))\/v[^/]+\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?(\/status)?$/.exec(
      url.pathname,
    );
    const body = await text(request);
    if (!at || at[2] !== namespace) return refuse(response, 404, 'NotFound', `${url.pathname} is not served`);
    const [, group = '', , plural = '', name = '', status = ''] = at;
    const resource = `${group}/${plural}`;
    const verb = verbOf(request.method!, name, url.searchParams);
    const user = request.headers.authorization?.replace('Bearer ', '') ?? '';
    requests.push({ verb, resource: resource + status, name, user });
    if (!grants[group]?.[plural + status]?.includes(verb))
      return refuse(response, 403, 'Forbidden', `${user} cannot ${verb} ${plural}${status} in the group "${group}"`);
    const given = body === '' ? undefined : (JSON.parse(body) as KubeObject);
    const key = `${resource}/${name || given?.metadata.name}`;
    const found = objects.get(key);
    if (verb === 'list') return list(response, resource, url.searchParams);
    if (verb === 'watch') return watch(response, resource, url.searchParams);
    if (verb === 'create') {
      if (found) return refuse(response, 409, 'AlreadyExists', `${key} already exists`);
      return reply(response, 201, create(resource, given!));
    }
    if (!found) return refuse(response, 404, 'NotFound', `${plural} "${name}" not found`);
    if (verb === 'get') return reply(response, 200, found.object);
    const expected = given?.metadata?.resourceVersion;
    if (expected !== undefined && expected !== found.object.metadata.resourceVersion)
      return refuse(response, 409, 'Conflict', `the object has been modified: ${key}`);
    const isApply = request.headers['content-type'] === 'application/apply-patch+yaml';
    const next = isApply
      ? applied(found.object, found.managed, url.searchParams.get('fieldManager')!, given!)
      : verb === 'update'
        ? given!
        : merged(found.object, given!);
    return reply(response, 200, save(resource, found, next as KubeObject, status !== ''));
  });

  function create(resource: string, object: KubeObject): KubeObject {
    const metadata = {
      ...object.metadata,
      namespace,
      uid: randomUUID(),
      generation: 1,
      resourceVersion: `${++version}`,
    };
    const stored = { object: { ...object, metadata }, managed: new Map() };
    objects.set(`${resource}/${metadata.name}`, stored);
    tell('ADDED', resource, stored.object);
    return stored.object;
  }

  /** Saves an object. If nothing changes, it keeps its version, as in the real server. */
  function save(resource: string, stored: Stored, next: KubeObject, isStatus: boolean): KubeObject {
    const { object: before } = stored;
    const body = isStatus
      ? { ...before, status: next.status }
      : { ...next, ...('status' in before && { status: before.status }) };
    const same = JSON.stringify(canonical({ ...body, metadata: { ...next.metadata, resourceVersion: '' } }));
    if (same === JSON.stringify(canonical({ ...before, metadata: { ...before.metadata, resourceVersion: '' } })))
      return before;
    const isChanged =
      JSON.stringify(canonical((body as { spec?: unknown }).spec)) !== JSON.stringify(canonical(before.spec));
    const metadata = {
      ...(isStatus ? before.metadata : next.metadata),
      generation: before.metadata.generation! + (isChanged ? 1 : 0),
      resourceVersion: `${++version}`,
    };
    stored.object = { ...body, metadata } as KubeObject;
    const isGone = metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
    if (isGone) objects.delete(`${resource}/${metadata.name}`);
    tell(isGone ? 'DELETED' : 'MODIFIED', resource, stored.object);
    return stored.object;
  }

  function tell(type: string, resource: string, object: KubeObject): void {
    const change = { type, resource, version, object };
    changes.push(change);
    for (const watcher of watchers) if (watcher.resource === resource) watcher.response.write(line(change));
  }

  function list(response: ServerResponse, resource: string, query: URLSearchParams): void {
    const all = [...objects].filter(([key]) => key.startsWith(`${resource}/`)).map(([, { object }]) => object);
    const from = Number(query.get('continue') ?? 0);
    const to = from + Number(query.get('limit') ?? all.length);
    // Items in lists have no kind.
    const items = all.slice(from, to).map(({ kind: _kind, apiVersion: _version, ...item }) => item);
    const metadata = { resourceVersion: `${version}`, ...(to < all.length && { continue: `${to}` }) };
    reply(response, 200, { kind: 'List', metadata, items });
  }

  function watch(response: ServerResponse, resource: string, query: URLSearchParams): void {
    const since = Number(query.get('resourceVersion'));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(
      `${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: `${version}` } } })}\n`,
    );
    for (const change of changes)
      if (change.resource === resource && change.version > since) response.write(line(change));
    const watcher = { resource, response };
    watchers.add(watcher);
    response.on('close', () => watchers.delete(watcher));
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    namespace,
    requests,
    /** Returns requests that changed an object or tried to, except for leases, which leaders renew continually. */
    writes: () =>
      requests.filter(({ verb, resource }) => /create|update|patch/.test(verb) && !resource.endsWith('/leases')),
    create,
    get: (resource: string, name: string) => objects.get(`${resource}/${name}`)?.object,
    /** Simulates a change by a client other than the operator. */
    edit(resource: string, name: string, change: (object: KubeObject) => KubeObject): void {
      const stored = objects.get(`${resource}/${name}`)!;
      save(resource, stored, change(structuredClone(stored.object)), false);
    },
    /** Simulates the kubelet and the Deployment controllers: all pods run the template. */
    setStatus(resource: string, name: string, status: unknown): void {
      const stored = objects.get(`${resource}/${name}`)!;
      save(resource, stored, { ...stored.object, status }, true);
    },
    delete(resource: string, name: string): void {
      const stored = objects.get(`${resource}/${name}`)!;
      const metadata = { ...stored.object.metadata, deletionTimestamp: new Date().toISOString() };
      save(resource, stored, { ...stored.object, metadata }, false);
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const line = ({ type, object }: Change): string => `${JSON.stringify({ type, object })}\n`;

const verbOf = (method: string, name: string, query: URLSearchParams): string =>
  ({
    GET: name ? 'get' : query.has('watch') ? 'watch' : 'list',
    POST: 'create',
    PUT: 'update',
    PATCH: 'patch',
    DELETE: 'delete',
  })[method] ?? method;

const canonical = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(canonical)
    : value && typeof value === 'object'
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, each]) => [name, canonical(each)]),
        )
      : value;

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
const refuse = (response: ServerResponse, code: number, reason: string, message: string): void =>
  reply(response, code, { kind: 'Status', status: 'Failure', code, reason, message });

// Merge patch, and server-side apply: lists of named entries are merged by name, and fields that a manager omits are
// removed.

type Tree = Readonly<Record<string, unknown>>;
/** Fields that each manager applied last. */
type Managed = Map<string, unknown>;

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);
const isNamed = (value: unknown): value is readonly (Tree & { name: string })[] =>
  Array.isArray(value) && value.every((entry) => isTree(entry) && typeof entry.name === 'string');

/** RFC 7396. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isTree(patch)) return patch;
  const result: Record<string, unknown> = { ...(isTree(target) ? target : {}) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

function applied(found: unknown, managed: Managed, manager: string, wanted: Tree): unknown {
  const before = managed.get(manager);
  managed.set(manager, wanted);
  return overlay(before === undefined ? found : without(found, before, wanted), wanted);
}

function overlay(found: unknown, wanted: unknown): unknown {
  if (isNamed(wanted) && isNamed(found)) {
    const names = new Set(wanted.map(({ name }) => name));
    const kept = found.map((entry) => overlay(entry, wanted.find(({ name }) => name === entry.name) ?? {}));
    const known = new Set(found.map(({ name }) => name));
    return [...kept, ...wanted.filter(({ name }) => names.has(name) && !known.has(name))];
  }
  if (!isTree(wanted) || !isTree(found)) return wanted;
  return {
    ...found,
    ...Object.fromEntries(Object.entries(wanted).map(([name, value]) => [name, overlay(found[name], value)])),
  };
}

/** Removes fields that the manager applied before and no longer wants. An entry with other managers' fields stays. */
function without(found: unknown, before: unknown, wanted: unknown): unknown {
  if (isNamed(before) && isNamed(found)) {
    const of = (list: unknown, name: string) => (isNamed(list) ? list.find((entry) => entry.name === name) : undefined);
    return found.flatMap((entry) => {
      const owned = of(before, entry.name);
      if (!owned) return [entry];
      const rest = without(entry, owned, of(wanted, entry.name) ?? { name: entry.name }) as Tree;
      return of(wanted, entry.name) || Object.keys(rest).length > 1 ? [rest] : [];
    });
  }
  if (!isTree(before) || !isTree(found)) return found;
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, value]) => {
      if (!(name in before)) return [[name, value]];
      const next = isTree(wanted) ? wanted[name] : undefined;
      if (next === undefined && !isTree(before[name]) && !isNamed(before[name])) return [];
      const rest = without(value, before[name], next);
      return next === undefined && isTree(rest) && Object.keys(rest).length === 0 ? [] : [[name, rest]];
    }),
  );
}
