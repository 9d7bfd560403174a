/** Ports of the content filters. */
import type { Finding } from '#core/contracts/chat.ts';

export interface ContentContext {
  readonly tenant_id: string;
  readonly model: string;
  readonly provider: string;
}

/** Text to scan and the way to change it; compatible with `TextSlot` of the dialects. */
export interface Scanned {
  readonly text: string;
  /** True for JSON text: its strings are decoded, and redaction leaves it valid. */
  readonly json?: boolean;
  /** Group of texts that are adjacent for the model: parts of one turn. */
  readonly group?: string;
  set(text: string): void;
}

export interface Verdict {
  /** Decision by the strictest action of all findings: `allow` also after `warn`, `log` and `redact`. */
  readonly decision: 'allow' | 'review' | 'block';
  /** Finding that decided: `content:<filter>`. */
  readonly matched_rule?: string;
  readonly findings: readonly Finding[];
}

/** Scan of the running texts of one stream that decides what may be released. */
export interface StreamScan {
  /**
   * Returns the text to release now on this channel: everything that cannot be the beginning of a match, redacted if a
   * filter requires it. Returns a promise only if a WASM filter is used. A channel of JSON text sets `isJson` with each
   * piece.
   */
  push(channel: string, text: string, isJson?: boolean): string | Promise<string>;
  /** Ends the channel's text and returns the held text, possibly redacted. */
  end(channel: string): string | Promise<string>;
  /** Returns the channels that hold text back. */
  open(): readonly string[];
  /** Returns the current verdict. After `block`, no more text is released. */
  verdict(): Verdict;
}

export interface ContentPolicy {
  /** True without filters or stripping: callers may skip the work. */
  readonly inputIdle: boolean;
  /** True if requests of usual size are scanned immediately, and no filter holds the call for a person. */
  readonly inputQuick: boolean;
  readonly outputIdle: boolean;
  /** Runs all filters and may redact texts in place. Never throws: a filter that errs is a finding. */
  checkInput(texts: readonly Scanned[], context: ContentContext): Promise<Verdict>;
  checkOutput(texts: readonly Scanned[], context: ContentContext): Promise<Verdict>;
  streamOutput(context: ContentContext): StreamScan;
}

/** Runner of the `check` of one WASM module. */
export interface WasmRunner {
  /**
   * Runs the check.
   * @returns 0 without a message to allow; otherwise the module's reason, with its confidence (0 to 1) if given.
   * @throws Error if the module is missing, corrupt, traps, allocates beyond its declared maximum or runs longer than
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
