/** The ports of the MCP gateway: those to its servers, and those for its state between calls. */
import type { GovernPorts } from '#core/actions/ports.ts';
import type { UnnamedSessions } from '#core/configuration/identity/unnamed-sessions.ts';
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import type { ClassifierPorts } from '#core/guard/classifier/ports.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { ObjectStore, SecretStore } from '#core/kernel/ports.ts';
import type { Counters } from '#core/limits/ports.ts';
import type { RequestId, RpcOutcome } from './protocol/messages.ts';
import type { EventStreamPorts } from './sessions/event-streams.ts';
import type { Subscriptions } from './sessions/subscriptions.ts';

/**
 * All ports of the MCP endpoint. Only the endpoint itself takes all of them; other functions pick the members they
 * need.
 */
export interface McpPorts extends GovernPorts, Pick<EventStreamPorts, 'hostLimits' | 'streamSlots'> {
  readonly mcpStore: McpStore;
  /**
   * Ports for the tool guard's classifiers, loaded with the first classifier. Without them, a configured classifier
   * fails.
   */
  readonly classifiers: (() => Promise<ClassifierPorts>) | undefined;
  readonly secrets: SecretStore;
  readonly upstreams: McpUpstreams;
  /** Version of the gateway. */
  readonly version: string;
  /** Text of tool definitions, read only to compare definitions before they are accepted. */
  readonly definitionTexts: ObjectStore;
  readonly counters: Counters;
  readonly unnamedSessions: UnnamedSessions;
}

/** Client data that a caller sends in `initialize`. */
export interface ClientHandshake {
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly clientInfo: JsonObject;
}

/** State needed to resume a conversation with a server on any instance. */
export interface Continuation {
  readonly session_id?: string;
  readonly protocol_version: string;
}

export interface ConnectOptions {
  /** True if several clients call concurrently. The gateway then assigns the ids. */
  readonly shared: boolean;
  readonly handshake: ClientHandshake;
  /** The gateway's own client data, sent to a server shared by all callers. */
  readonly own: ClientHandshake;
  /** Era to try first. If the server supports only the other era, that one is used. */
  readonly prefer: 'session' | 'stateless';
  readonly resume?: Continuation | undefined;
  readonly signal: AbortSignal;
}

/** Client for MCP servers: streamable HTTP, the older HTTP+SSE, and child processes. */
export interface McpUpstreams {
  /** Opens or resumes a conversation. @throws UpstreamFault if the server cannot be reached or does not speak MCP. */
  connect(entry: McpUpstreamEntry, options: ConnectOptions): Promise<UpstreamLink>;
  /** Closes every connection and ends every child process. */
  stop(): Promise<void>;
}

export interface RequestOptions {
  /** Signal that, when aborted, also cancels the request at the server. */
  readonly signal: AbortSignal;
  /** Called for each of the server's notifications and requests that belong to this request. */
  readonly onMessage: (message: JsonObject) => void;
  /** Called when the server responds with an event stream, even if the stream contains only the response. */
  readonly onEvents?: (() => void) | undefined;
  /** Bearer token that replaces the configured one. */
  readonly bearer?: string | undefined;
  /** Request id to use with the server if the caller has its own conversation. */
  readonly id: RequestId;
  /** The caller's `Mcp-Param-*` headers. */
  readonly passed?: Readonly<Record<string, string>>;
}

export interface UpstreamLink {
  readonly name: string;
  /** `session` (2025): the server keeps a session. `stateless` (2026): each request is independent. */
  readonly era: 'session' | 'stateless';
  /**
   * True if several callers use the conversation. Unsolicited messages from the server then have no owner
   * [mcp.sessions].
   */
  readonly shared: boolean;
  /**
   * Digests of the URIs to which each session has subscribed, if the server treats all sessions as one client. Lost
   * when the connection ends.
   */
  readonly subscriptions?: Subscriptions;
  readonly continuation: Continuation;
  /** The server's response to `initialize` or `server/discover`; empty for a resumed conversation. */
  readonly initializeResult: JsonObject;
  /**
   * Returns the server's response, including its errors.
   * @throws UpstreamFault if there was no response.
   */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<RpcOutcome>;
  /** Sends a notification, or the response to a request from the server. @throws UpstreamFault */
  send(message: JsonObject): Promise<void>;
  /**
   * Receives messages that do not belong to a request. Resolves when the server ends the stream or the signal aborts.
   */
  listen(onMessage: (message: JsonObject) => void, signal: AbortSignal): Promise<void>;
  /** Ends the conversation at the server. Never throws. */
  close(): Promise<void>;
}

export type UpstreamFaultKind =
  /** No connection was established, or the response is not MCP. */
  | 'unreachable'
  | 'timeout'
  /** The connection ended before the response. */
  | 'broken'
  /** The server no longer knows the session, so the request had no effect. */
  | 'session-lost'
  | 'garbage'
  | 'too-large'
  | 'refused'
  | 'aborted';

/** Reason for a missing response. The message contains neither an address nor a secret. */
export class UpstreamFault extends Error {
  override readonly name = 'UpstreamFault';
  readonly kind: UpstreamFaultKind;
  /** HTTP status, if the server refused the request with one. */
  readonly status: number | undefined;

  constructor(kind: UpstreamFaultKind, message: string, cause?: unknown, status?: number) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.status = status;
  }
}

/** A stored session under the revisions up to 2025-11-25. */
export interface McpSession {
  readonly id: string;
  readonly tenant: string;
  /** Key that opened the session; other keys may not use the session. */
  readonly key_id: string;
  readonly protocol_version: string;
  /** Sessions from earlier connections that have a pending request by the same key and client, newest first. */
  readonly earlier?: readonly string[];
  readonly handshake: ClientHandshake;
  readonly upstreams: Readonly<Record<string, Continuation>>;
  /** The client's last response to `roots/list` [guard.roots]. */
  readonly roots?: readonly string[];
  /** ISO 8601. */
  readonly expires_at: string;
}

/** State of a single tool's definition. */
export interface ToolMark {
  /**
   * Accepted fingerprint: recorded at the first contact with the server, or accepted by a human. Absent for a tool
   * added later.
   */
  readonly fingerprint?: string | undefined;
  /** ISO 8601. */
  readonly seen_at: string;
  /**
   * Tenant and time (ISO 8601) of the administrative evidence entry that records the acceptance. Set whenever
   * `fingerprint` is.
   */
  readonly recorded?: { readonly tenant: string; readonly at: string };
  /** A definition that has not been accepted yet, either a changed one or that of a new tool. */
  readonly changed?: {
    readonly fingerprint: string;
    readonly seen_at: string;
    /** Kinds of findings that make the tool guard hold the tool until it is accepted. */
    readonly guard?: readonly string[];
    /** Tools of other servers that this tool shadows, as `<server>: <tool>` [guard.definitions]. */
    readonly shadows?: readonly string[];
    /**
     * Whether the object store has the definition's text under the fingerprint. False if the text is too large, absent
     * if storing was not attempted.
     */
    readonly kept?: boolean;
  };
  /** Shadowed tools that a human accepted together with this tool. */
  readonly shadows?: readonly string[];
  /** Shadowed tools that were only recorded, because shadowing is not reviewed. */
  readonly shadows_noted?: readonly string[];
  /** Facts from the latest definition that, together with the tool's name, determine capability and target. */
  readonly about: ToolFacts;
  /** The accepted definition as digests and classes, without text from the server. */
  readonly surface?: string;
  /** Like `changed.kept`, for the accepted definition. */
  readonly kept?: boolean;
}

/** Facts without free text from the server: boolean hints, and an argument from the gateway's own list. */
export interface ToolFacts {
  readonly read_only?: boolean;
  readonly destructive?: boolean;
  /** Argument that usually names the target, or `owner/repo` for a pair of arguments. */
  readonly target?: string;
}

/** Fingerprints of one upstream's tools. */
export interface ToolMarks {
  readonly upstream: string;
  /** Number of writes so far; 0 if never written. */
  readonly revision: number;
  readonly tools: Readonly<Record<string, ToolMark>>;
}

export interface McpStore {
  /** Reads consistently. Returns undefined for an unknown, ended or expired session. */
  session(id: string): Promise<McpSession | undefined>;
  putSession(session: McpSession): Promise<void>;
  endSession(id: string): Promise<void>;
  /** Reads consistently. */
  marks(upstream: string): Promise<ToolMarks>;
  /** Writes revision + 1. Returns false if another process has written in the meantime. */
  putMarks(marks: ToolMarks): Promise<boolean>;
}
