/** The caller of a message, its session, and where messages go while it is answered. */

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
  /** Session of its actions and their evidence. */
  readonly sessionId: string;
  /** Sessions of earlier connections in which a call of it may be waiting for a person. */
  readonly earlier: readonly string[];
  /** The caller said which; else the gateway makes one for a while. */
  readonly sessionIsNamed: boolean;
  /** What the client calls itself: a label. */
  readonly agent: string;
  readonly conversation: Conversation;
  /** Session of the older revisions; absent for clients without one. */
  readonly session?: McpSession;
  /** `Mcp-Param-*` headers. */
  readonly passed: Readonly<Record<string, string>>;
}

/** One request on its way: its messages to the client, and whether the client still waits. */
export interface Exchange {
  readonly send: (message: JsonObject) => void;
  /** The server answers with events: so does the gateway. */
  readonly streams: () => void;
  readonly signal: AbortSignal;
  /** Whether the client's connection has ended and no other one has taken the answer up. */
  readonly isGone: () => boolean;
  /** Work that goes on after the answer. */
  readonly later: (work: Promise<unknown>) => void;
}
