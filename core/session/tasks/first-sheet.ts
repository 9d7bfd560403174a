/**
 * The task sheet of a session's first request, as entries carry it and the session's head keeps it [manifest.first-request]. It stands
 * beside what was declared, so it only narrows.
 */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { FirstSheet, TaskManifest } from '#core/contracts/task-manifest.ts';
import type { Attached } from './ports.ts';

/** Under which drift names the sheet. */
export const firstRequestId = 'first-request';

/** The sheet after an entry: the first one that the session's entries carry stays. */
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

/** What a call has to do with, the session's sheet among it. It ends with the session. */
export function withFirst(attached: Attached, tenant: string, sheet: FirstSheet | undefined): Attached {
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
