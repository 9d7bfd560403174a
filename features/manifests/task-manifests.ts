/** Declares, shows and deletes task manifests, and reports drift over a session's history. */

import { type TaskManifest, taskManifestSchema } from '#core/contracts/task-manifest.ts';
import { firstEntries } from '#core/evidence/bundle.ts';
import { readableEntries } from '#core/evidence/entry-text.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type Call, cursorOf, limitOf, type Operation, parseBySchema } from '#core/operations/operation.ts';
import { recordAct } from '#core/operations/record.ts';
import { openManifest } from '#core/session/tasks/manifest.ts';
import { replayDrift } from '#core/session/tasks/replay.ts';

/**
 * Declares a manifest. The action is recorded first, with the full manifest, so that evidence contains it even after it
 * is deleted.
 */
export const createManifest: Operation = async (call) => {
  const { ports, principal } = call;
  const store = ports.tasks;
  const body = parseBySchema(taskManifestSchema, call.body());
  const manifest = openManifest(body, principal.tenant, principal.person ?? principal.name, ports.clock.now());
  const known = await store.get(principal.tenant, manifest.id);
  if (known) return { body: known };
  const evidence_hash = await recordAct(call, 'manifest.create', { manifest });
  try {
    return { status: 201, body: { ...(await store.create(manifest)), evidence_hash } };
  } catch (thrown) {
    // Otherwise evidence would list a sheet that is not active [evidence.in-force].
    await recordAct(call, 'manifest.not_created', { manifest });
    throw thrown;
  }
};

export const listManifests: Operation = async (call) => {
  const { ports, principal, query } = call;
  const page = await ports.tasks.list(principal.tenant, { limit: limitOf(query), ...cursorOf(query) });
  const visible = await Promise.all(page.items.map((manifest) => isVisible(call, manifest)));
  const manifests = page.items.filter((_, at) => visible[at]);
  return { body: { manifests, ...(page.cursor && { cursor: page.cursor }) } };
};

export const getManifest: Operation = async (call) => ({ body: await manifestOf(call) });

export const deleteManifest: Operation = async (call) => {
  const { ports, principal } = call;
  const manifest = await manifestOf(call);
  const evidence_hash = await recordAct(call, 'manifest.delete', { manifest });
  const deleted_at = isoTime(ports.clock.now());
  if (!(await ports.tasks.remove(principal.tenant, manifest.id, deleted_at))) throw manifestNotFound(manifest.id);
  return { body: { ...manifest, deleted_at, evidence_hash } };
};

/** Maximum number of a session's entries examined per response. */
const maxEntries = 20_000;

/**
 * Returns the drift of the named session, or of the sessions to which the manifest is attached, starting with their
 * first entries.
 */
export const manifestDrift: Operation = async (call) => {
  const { ports, principal, query, snapshot } = call;
  const manifest = await manifestOf(call);
  const names = query.session === undefined ? (manifest.sessions ?? []) : [query.session];
  if (names.length === 0)
    throw invalidRequest(`Manifest ${manifest.id} is not attached to a session by name; name one with ?session=<id>.`);
  const sessions = [];
  for (const name of names) {
    const head = await ports.evidence.head(principal.tenant, name);
    if (query.session !== undefined && (!head || !isOwn(call, head))) throw notFound(things.session, name);
    if (!head || !isOwn(call, head)) continue;
    const total = Math.min(head.total_entries, maxEntries);
    const rows = firstEntries(ports.evidence.rows(principal.tenant, name), total);
    const unreadable: number[] = [];
    const entries = readableEntries(rows, ({ index }) => void unreadable.push(index));
    const report = await replayDrift(manifest, name, entries, snapshot.configuration.behavior);
    const complete = total === head.total_entries && unreadable.length === 0;
    sessions.push({ ...report, complete, ...(unreadable.length > 0 && { unreadable }) });
  }
  const drift = sessions.reduce((sum, { total_drifted }) => sum + total_drifted, 0);
  const { enforcement_mode } = snapshot.configuration.manifests;
  return { body: { manifest_id: manifest.id, enforcement_mode, drift: drift > 0, total_drifted: drift, sessions } };
};

async function manifestOf(call: Call): Promise<TaskManifest> {
  const id = call.params.id ?? '';
  const manifest = await call.ports.tasks.get(call.principal.tenant, id);
  if (!manifest || !(await isVisible(call, manifest))) throw manifestNotFound(id);
  return manifest;
}

const isOwn = ({ principal }: Call, { owner_key }: SessionHead): boolean =>
  principal.kind !== 'agent' || owner_key === principal.key_id;

/** Checks visibility. Agents see manifests attached to their key or to one of their sessions. */
async function isVisible({ ports, principal }: Call, { key_id, sessions = [] }: TaskManifest): Promise<boolean> {
  if (principal.kind !== 'agent') return true;
  if (key_id !== undefined) return key_id === principal.key_id;
  const heads = await Promise.all(sessions.map((name) => ports.evidence.head(principal.tenant, name)));
  return heads.some((head) => head?.owner_key === principal.key_id);
}

const manifestNotFound = (id: string) => notFound({ noun: 'manifest', list: 'GET /admin/v1/manifests' }, id);
