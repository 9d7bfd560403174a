/** The caller of a message, its session and its channel to the client. */

import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { McpSession } from '../ports.ts';
import type { Era } from '../protocol/era.ts';
import type { Conversation } from './conversations.ts';

export interface Caller {
  readonly principal: Principal;
  readonly snapshot: Snapshot;
  readonly era: Era;
  /** Session for the caller's actions and evidence. */
  readonly sessionId: string;
  /** Sessions from earlier connections that may have a pending call. */
  readonly earlier: readonly string[];
  /** True if the caller named the session. Otherwise the gateway assigns a session for a limited time. */
  readonly sessionIsNamed: boolean;
  /** Name that the client gives itself; used only as a label. */
  readonly agent: string;
  readonly conversation: Conversation;
  /** Session in the older protocol revisions. Absent for clients without a session. */
  readonly session?: McpSession;
  /** `Mcp-Param-*` headers. */
  readonly passed: Readonly<Record<string, string>>;
}

/** The channel for one request: its messages to the client, and the state of the client's connection. */
export interface Exchange {
  readonly send: (message: JsonObject) => void;
  /** Called when the server responds with events, so that the gateway does the same. */
  readonly streams: () => void;
  readonly signal: AbortSignal;
  /** Checks whether the connection has ended and no other connection has resumed the response. */
  readonly isGone: () => boolean;
  /** Registers work that continues after the response has been sent. */
  readonly later: (work: Promise<unknown>) => void;
}
