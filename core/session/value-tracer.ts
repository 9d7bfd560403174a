/** Port for tracing the sources of values. It is implemented by a feature that stores what sessions have seen. */
import type { Configuration } from '#core/contracts/config.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { CallSources, SourceNotes } from '#core/contracts/provenance.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { CompiledPolicy } from '#core/policy/rules/compile.ts';

export interface SessionName {
  readonly tenant: string;
  readonly session: string;
}

/** Sources sent with a call. */
export interface AttachedSources {
  /** The person's words, as passed on by the host. */
  readonly words: readonly string[];
  /** The chat request, if the whole conversation goes through the gateway. */
  readonly conversation?: JsonObject | undefined;
}

/** An action whose result a session has seen. */
export interface SeenAction {
  readonly envelope_id: string;
  readonly tool: string;
  readonly upstream?: string | undefined;
}

/** Tracer of values. @throws GatewayError `service_unavailable`, from every method except `notes`. */
export interface ValueTracer {
  /**
   * Returns the sources of a call's values.
   * @param isNew whether the session has no actions yet. A session that has actions but no record has gaps.
   */
  trace(
    session: SessionName,
    call: ToolCall,
    attached: AttachedSources,
    isNew: () => Promise<boolean>,
  ): Promise<CallSources>;
  /** Returns the source of each argument that a rule checks for this tool. Undefined if there are none. */
  notes(policy: CompiledPolicy, call: ToolCall): Promise<SourceNotes | undefined>;
  /** Records the person's words, for the time that the configuration sets. */
  keepWords(session: SessionName, words: string, configuration: Configuration): Promise<void>;
  /** Records a tool result. If recording fails, the result must not be returned. */
  keepResult(session: SessionName, action: SeenAction, result: unknown, configuration: Configuration): Promise<void>;
  /** Records a conversation's words and results, for later calls in the session that do not include them. */
  keepConversation(session: SessionName, body: JsonObject, configuration: Configuration): Promise<void>;
}
