/** Interface of an operation on objects that providers store for callers: files, batches, responses. */
import type { JsonObject } from '#core/kernel/json.ts';
import type { ChatPorts } from '../ports.ts';
import type { StoredPage } from './ports.ts';
import type { StoredCaller } from './record.ts';

export interface StoredQuery {
  /** Id in the path; empty for a list. */
  readonly id: string;
  readonly page: StoredPage;
  /** Maximum size of a file in bytes. */
  readonly maxBytes: number;
}

/** Operation that returns an object or JSON Lines. */
export type StoredOperation = (
  ports: ChatPorts,
  caller: StoredCaller,
  query: StoredQuery,
) => Promise<JsonObject | string>;
