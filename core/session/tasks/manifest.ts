/** Creates a manifest from a request. Because the manifest's id is its digest, a declared manifest can never change. */
import { longestTaskDays, type TaskManifest, type TaskManifestBody } from '#core/contracts/task-manifest.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { dayMs } from '#core/kernel/durations.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { compileGlob } from '#core/text/matching/glob.ts';
import { maskSecrets } from '#core/text/secrets/masked.ts';
import { sheetOfRequest } from './from-request.ts';

/**
 * Creates a manifest.
 * @param createdBy person or service responsible for it.
 * @throws GatewayError `invalid_request` for an invalid glob, or an end time that is in the past or too far in the
 * future.
 */
export function openManifest(given: TaskManifestBody, tenant: string, createdBy: string, nowMs: number): TaskManifest {
  const body = sheetOfRequest(given);
  for (const tool of body.tools ?? []) compileGlob(tool, 'name');
  for (const resource of body.resources ?? []) compileGlob(resource, 'text');
  for (const recipient of body.recipients ?? []) compileGlob(recipient.toLowerCase(), 'text');
  const ends = body.expires_at === undefined ? nowMs + dayMs : Date.parse(body.expires_at);
  if (ends <= nowMs || ends > nowMs + longestTaskDays * dayMs) {
    const found = body.expires_at;
    throw invalidRequest(`expires_at is ${found}; it must be a time within the next ${longestTaskDays} days.`);
  }
  const { name, description } = body;
  // Masks secrets in free text, which is recorded and listed.
  const words = {
    name: maskSecrets(name),
    ...(description !== undefined && { description: maskSecrets(description) }),
  };
  const content = { ...body, ...words, expires_at: isoTime(ends) };
  return {
    id: manifestId(tenant, content),
    tenant,
    ...content,
    created_at: isoTime(nowMs),
    created_by: createdBy,
  };
}

const manifestId = (tenant: string, content: Omit<TaskManifestBody, 'request'>): string =>
  `task-${digestOf({ tenant, ...content }).slice(0, 32)}`;
