/** Messages between the gateway and an evaluator [evaluation.webhook]. */

/** Body of the webhook. Secrets in known formats are removed from both texts. */
export interface EvaluationMessage {
  readonly request_id: string;
  readonly tenant: string;
  readonly session_id: string;
  /** Model after alias resolution. */
  readonly model: string;
  readonly provider: string | null;
  readonly prompt: string;
  readonly response: string;
  /** True if either text was truncated. */
  readonly truncated: boolean;
  readonly latency_ms: number;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly finish_reason: string | null;
  /** Hash of the call's evidence entry. */
  readonly evidence_hash: string;
  /** W3C trace context; null if tracing is off. */
  readonly traceparent: string | null;
}
