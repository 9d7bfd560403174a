/** What the MCP gateway needs from outside: servers behind it, and what it keeps between calls. */

import type { GovernPorts } from '#core/actions/ports.ts';
import type { UnnamedSessions } from '#core/configuration/identity/unnamed-sessions.ts';
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import type { ClassifierPorts } from '#core/guard/classifier/ports.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { ObjectStore, SecretsPort } from '#core/kernel/ports.ts';
import type { CountersPort } from '#core/limits/ports.ts';
import type { RequestId, RpcOutcome } from './protocol/messages.ts';
import type { EventStreamPorts } from './sessions/event-streams.ts';
import type { Subscriptions } from './sessions/subscriptions.ts';

export interface McpStorePort {
  readonly mcpStore: McpStore;
}

export interface UpstreamsPort {
  readonly upstreams: McpUpstreams;
}

export interface VersionPort {
  /** Of the gateway. */
  readonly version: string;
}

export interface DefinitionTextsPort {
  /** Texts of tool definitions, which only those compare who accept them. */
  readonly definitionTexts: ObjectStore;
}

export interface ClassifiersPort {
  /** What classifiers of the tool guard work with, loaded with the first; without it a configured one errs. */
  readonly classifiers: (() => Promise<ClassifierPorts>) | undefined;
}

export interface UnnamedSessionsPort {
  readonly unnamedSessions: UnnamedSessions;
}

/** The whole of the MCP endpoint. Only its flow takes it: a function of one part takes the ports of that part. */
export interface McpPorts
  extends GovernPorts,
    McpStorePort,
    UpstreamsPort,
    VersionPort,
    DefinitionTextsPort,
    ClassifiersPort,
    SecretsPort,
    CountersPort,
    UnnamedSessionsPort,
    Pick<EventStreamPorts, 'hostLimits' | 'streamSlots'> {}

/** How a caller presents itself to a server. */
export interface ClientHandshake {
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly clientInfo: JsonObject;
}

/** Where a conversation with a server goes on, on whichever instance. */
export interface Continuation {
  readonly session_id?: string;
  readonly protocol_version: string;
}

export interface ConnectOptions {
  /** Several calls at a time of several clients: ids are the gateway's own. */
  readonly shared: boolean;
  readonly handshake: ClientHandshake;
  /** How the gateway presents itself to a server that all callers share. */
  readonly own: ClientHandshake;
  /** What is tried first; a server that speaks one of them only is met in that one. */
  readonly prefer: 'session' | 'stateless';
  readonly resume?: Continuation | undefined;
  readonly signal: AbortSignal;
}

/** Opens conversations with MCP servers: streamable HTTP, the older HTTP+SSE, and child processes. */
export interface McpUpstreams {
  /** @throws UpstreamFault when the server cannot be reached or does not speak MCP. */
  connect(entry: McpUpstreamEntry, options: ConnectOptions): Promise<UpstreamLink>;
  /** Closes every connection and ends every child process. */
  stop(): Promise<void>;
}

export interface RequestOptions {
  /** Aborting cancels the request at the server too. */
  readonly signal: AbortSignal;
  /** Notifications and requests of the server that belong to this one, as they come. */
  readonly onMessage: (message: JsonObject) => void;
  /** Called when the server answers with a stream of events, even one of the response alone. */
  readonly onEvents?: (() => void) | undefined;
  /** Sent as a bearer token instead of the configured one. */
  readonly bearer?: string | undefined;
  /** Id to use at the server where the conversation is this caller's own. */
  readonly id: RequestId;
  /** `Mcp-Param-*` headers of the caller. */
  readonly passed?: Readonly<Record<string, string>>;
}

export interface UpstreamLink {
  readonly name: string;
  /** Whether the server keeps a session (2025) or takes each request by itself (2026). */
  readonly era: 'session' | 'stateless';
  /** Several callers use it: what the server says without a request has no owner [mcp.shared-servers]. */
  readonly shared: boolean;
  /** Digests of the addresses that each session subscribed to, where the server takes all sessions for one client. They end with the connection. */
  readonly subscriptions?: Subscriptions;
  readonly continuation: Continuation;
  /** The server's answer to `initialize` or `server/discover`; empty for a resumed conversation. */
  readonly initializeResult: JsonObject;
  /**
   * Answers what the server answered, its errors included.
   * @throws UpstreamFault when there was no answer.
   */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<RpcOutcome>;
  /** A notification, or the response to a request of the server. @throws UpstreamFault */
  send(message: JsonObject): Promise<void>;
  /** Messages that belong to no request; resolves when the server ends the stream or the signal aborts. */
  listen(onMessage: (message: JsonObject) => void, signal: AbortSignal): Promise<void>;
  /** Ends the conversation at the server. Never throws. */
  close(): Promise<void>;
}

export type UpstreamFaultKind =
  /** No connection, or no answer of the protocol. */
  | 'unreachable'
  | 'timeout'
  /** The connection ended before the answer did. */
  | 'broken'
  /** The server does not know the session any more: nothing was done. */
  | 'session-lost'
  | 'garbage'
  | 'too-large'
  | 'refused'
  | 'aborted';

/** Why there was no answer. The message names no address and no secret. */
export class UpstreamFault extends Error {
  override readonly name = 'UpstreamFault';
  readonly kind: UpstreamFaultKind;
  /** The server's HTTP status, where it refused with one. */
  readonly status: number | undefined;

  constructor(kind: UpstreamFaultKind, message: string, cause?: unknown, status?: number) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.status = status;
  }
}

/** A session of the revisions up to 2025-11-25, as kept between calls. */
export interface McpSession {
  readonly id: string;
  readonly tenant: string;
  /** The key that opened it; no other key may use it. */
  readonly key_id: string;
  readonly protocol_version: string;
  /** Sessions of earlier connections in which a request of the same key and client waits; newest first. */
  readonly earlier?: readonly string[];
  readonly handshake: ClientHandshake;
  readonly upstreams: Readonly<Record<string, Continuation>>;
  /** As the client listed them when a server asked [guard.roots]. */
  readonly roots?: readonly string[];
  /** ISO 8601. */
  readonly expires_at: string;
}

/** What is known of one tool's definition. */
export interface ToolMark {
  /** As it was seen with the server for the first time, or accepted by a human; absent for a tool that came later. */
  readonly fingerprint?: string | undefined;
  /** ISO 8601. */
  readonly seen_at: string;
  /**
   * Where evidence says that the fingerprint was accepted: administrative acts of this tenant at this time (ISO 8601). Absent for one of
   * a release that recorded no first meeting.
   */
  readonly recorded?: { readonly tenant: string; readonly at: string };
  /** A definition that no human has accepted: another one than the accepted one, or a new tool's. */
  readonly changed?: {
    readonly fingerprint: string;
    readonly seen_at: string;
    /** Kinds for which the tool guard holds it until it is accepted. */
    readonly guard?: readonly string[];
    /** Tools of other servers that it stands in front of, as `<server>: <tool>` [guard.shadowing]. */
    readonly shadows?: readonly string[];
    /** Whether the object store has its text under the fingerprint; false for one that is too large, absent where it was not tried. */
    readonly kept?: boolean;
  };
  /** Those that a human accepted it beside. */
  readonly shadows?: readonly string[];
  /** Those that were recorded where they are not reviewed. */
  readonly shadows_noted?: readonly string[];
  /** From the definition seen last: what decides capability and target beside the name. */
  readonly about?: ToolFacts;
  /** The accepted definition as digests and classes, without any text of the server. */
  readonly surface?: string;
  /** Whether the object store has the text of the accepted definition, as with `changed`. */
  readonly kept?: boolean;
}

/** Nothing a server writes at will: hints are yes or no, and the argument is one of the gateway's own list. */
export interface ToolFacts {
  readonly read_only?: boolean;
  readonly destructive?: boolean;
  /** The argument that usually names what a call acts on, `owner/repo` for two of them. */
  readonly target?: string;
}

/** Fingerprints of one upstream's tools. */
export interface ToolMarks {
  readonly upstream: string;
  /** Counts the writes; 0 = never written. */
  readonly revision: number;
  readonly tools: Readonly<Record<string, ToolMark>>;
}

export interface McpStore {
  /** Consistent; undefined for an unknown, ended or expired session. */
  session(id: string): Promise<McpSession | undefined>;
  putSession(session: McpSession): Promise<void>;
  endSession(id: string): Promise<void>;
  /** Consistent. */
  marks(upstream: string): Promise<ToolMarks>;
  /** Writes revision + 1 if no other process wrote meanwhile. */
  putMarks(marks: ToolMarks): Promise<boolean>;
}
