/** Tool definitions as read last, by conversation: a server may offer other tools to other clients. */
import type { JsonObject } from '#core/kernel/json.ts';
import type { UpstreamLink } from '../ports.ts';

interface KnownTools {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly definitions: Promise<readonly JsonObject[]>;
}

/** Deleted when a server says that its tools changed: they are read again when next needed. */
export const knownTools = new WeakMap<UpstreamLink, KnownTools>();
