/** Store for task manifests. */
import type { TaskManifest } from '#core/contracts/task-manifest.ts';
import type { Page } from '#core/kernel/page.ts';

/** The manifests that apply to a call: those attached to its session or key, and the one that the call names. */
export interface AttachedManifests {
  readonly manifests: readonly TaskManifest[];
  /** Id of a manifest that the call names but that does not exist. */
  readonly unknown?: string;
}

export interface TaskManifests {
  /**
   * Stores and attaches a manifest. If an identical one is already stored, returns that one. @throws GatewayError
   * `conflict` if the limit is reached.
   */
  create(manifest: TaskManifest): Promise<TaskManifest>;
  /** Reads a manifest consistently. Returns undefined if it does not exist or was deleted. */
  get(tenant: string, id: string): Promise<TaskManifest | undefined>;
  /** Lists manifests that have not been deleted, newest first. */
  list(tenant: string, options: { limit: number; cursor?: string }): Promise<Page<TaskManifest>>;
  /**
   * Reads a call's manifests consistently in one step, in parallel with the session's head. Expired ones are included.
   */
  attached(tenant: string, to: { session: string; key_id: string; named?: string }): Promise<AttachedManifests>;
  /** Detaches and deletes a manifest. Returns false if there was none. */
  remove(tenant: string, id: string, deletedAt: string): Promise<boolean>;
}
