/**
 * The task sheet from a session's first request, recorded in entries and kept in the session's head
 * [manifest.recipients]. It applies in addition to declared manifests, so it can only narrow them.
 */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { FirstSheet, TaskManifest } from '#core/contracts/task-manifest.ts';
import type { AttachedManifests } from './ports.ts';

/** Manifest id that identifies the sheet in drift. */
export const firstRequestId = 'first-request';

/** Returns the sheet after an entry. The first sheet recorded in the session remains. */
export function sheetAfter(
  before: FirstSheet | undefined,
  { kind, body }: Pick<EvidenceEntry, 'kind' | 'body'>,
): FirstSheet | undefined {
  if (before || (kind !== 'allow' && kind !== 'review' && kind !== 'block')) return before;
  const { recipients, resources } = (body.first_request ?? {}) as { recipients?: unknown; resources?: unknown };
  if (!isList(recipients)) return undefined;
  return isList(resources) ? { recipients, resources } : { recipients };
}

const isList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** Adds the session's sheet to a call's manifests. The sheet ends with the session. */
export function withFirst(
  attached: AttachedManifests,
  tenant: string,
  sheet: FirstSheet | undefined,
): AttachedManifests {
  if (!sheet) return attached;
  const manifest: TaskManifest = {
    id: firstRequestId,
    tenant,
    name: firstRequestId,
    risk_tier: 'high',
    created_by: 'gateway',
    created_at: '1970-01-01T00:00:00.000Z',
    expires_at: '9999-12-31T00:00:00.000Z',
    recipients: [...sheet.recipients],
    ...(sheet.resources && { resources: [...sheet.resources] }),
  };
  return { ...attached, manifests: [...attached.manifests, manifest] };
}
