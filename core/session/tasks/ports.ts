/** Where task manifests are kept. */
import type { TaskManifest } from '#core/contracts/task-manifest.ts';
import type { Page } from '#core/kernel/page.ts';

/** What a call has to do with: those attached to its session and its key, and the one it names. */
export interface Attached {
  readonly manifests: readonly TaskManifest[];
  /** The call names a manifest there is none of. */
  readonly unknown?: string;
}

export interface TaskManifests {
  /** Keeps a manifest and attaches it; the same one again is the one there is. @throws GatewayError `conflict` for one too many. */
  create(manifest: TaskManifest): Promise<TaskManifest>;
  /** Consistent; undefined for none, and for one that was deleted. */
  get(tenant: string, id: string): Promise<TaskManifest | undefined>;
  /** Those not deleted, newest first. */
  list(tenant: string, options: { limit: number; cursor?: string }): Promise<Page<TaskManifest>>;
  /** Consistent; one step of the store, beside the read of the session's head. Expired ones are among them. */
  attached(tenant: string, to: { session: string; key_id: string; named?: string }): Promise<Attached>;
  /** Detaches and forgets; false when there was none. */
  remove(tenant: string, id: string, deletedAt: string): Promise<boolean>;
}

export interface TasksPort {
  readonly tasks: TaskManifests;
}
