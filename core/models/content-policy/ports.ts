/** Content filters at work. */
import type { Finding } from '#core/contracts/chat.ts';

export interface ContentContext {
  readonly tenant_id: string;
  readonly model: string;
  readonly provider: string;
}

/** A text to look at, and how to change it; `TextSlot` of the dialects fits. */
export interface Scanned {
  readonly text: string;
  /** JSON text: its strings are read decoded, and redaction leaves it valid. */
  readonly json?: boolean;
  /** Texts of one group stand together before the model: parts of one turn. */
  readonly group?: string;
  set(text: string): void;
}

export interface Verdict {
  /** The strictest action of all findings; `allow` when nothing was found, `warn`, `log` and `redact` let pass. */
  readonly decision: 'allow' | 'review' | 'block';
  /** The finding that decided: `content:<filter>`. */
  readonly matched_rule?: string;
  readonly findings: readonly Finding[];
}

/** Looks at the running texts of one stream and says what may leave. */
export interface StreamScan {
  /**
   * Text to release now on this channel: everything that no filter could still match as a prefix, redacted where a
   * filter says so. The promise form only where a WASM filter looks. A channel of JSON text says so with each piece.
   */
  push(channel: string, text: string, isJson?: boolean): string | Promise<string>;
  /** The channel's text is complete: what was held back, or less of it. */
  end(channel: string): string | Promise<string>;
  /** Channels that hold text back. */
  open(): readonly string[];
  /** As it stands. Once `block`, nothing more is released. */
  verdict(): Verdict;
}

export interface ContentPolicy {
  /** No filter and nothing to strip: callers may skip the work. */
  readonly inputIdle: boolean;
  /** What looks at a request of usual size does so here and at once, and nothing holds the call for a person. */
  readonly inputQuick: boolean;
  readonly outputIdle: boolean;
  /** All filters run; texts may be redacted in place. Never throws: an erring filter is a finding. */
  checkInput(texts: readonly Scanned[], context: ContentContext): Promise<Verdict>;
  checkOutput(texts: readonly Scanned[], context: ContentContext): Promise<Verdict>;
  streamOutput(context: ContentContext): StreamScan;
}

/** Runs the `check` of one WASM module. */
export interface WasmRunner {
  /**
   * @returns 0 and no message to allow; the module's reason when it flags, and how sure it is (0 to 1) where it says so.
   * @throws Error when the module is missing, corrupt, traps, allocates beyond its declared maximum or runs longer than
   * `timeoutMs`.
   */
  check(call: {
    readonly module: string;
    readonly content: Uint8Array;
    readonly metadata: {
      readonly tenant_id: string;
      readonly model: string;
      readonly provider: string;
      readonly phase: 'input' | 'output';
    };
    readonly timeoutMs: number;
  }): Promise<{ readonly flagged: boolean; readonly message?: string; readonly score?: number }>;
}
