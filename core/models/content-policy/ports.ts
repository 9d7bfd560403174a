/** Ports of the content filters. */
import type { Finding } from '#core/contracts/chat.ts';

export interface ContentContext {
  readonly tenant_id: string;
  readonly model: string;
  readonly provider: string;
}

/** Text to scan, with a way to replace it; compatible with the dialects' `TextSlot`. */
export interface ScannedText {
  readonly text: string;
  /** True for JSON text: its strings are decoded, and it remains valid after redaction. */
  readonly json?: boolean;
  /** Group of texts that the model reads as adjacent, such as parts of one turn. */
  readonly group?: string;
  set(text: string): void;
}

export interface Verdict {
  /**
   * Decision resulting from the strictest action of all findings; `warn`, `log` and `redact` also result in `allow`.
   */
  readonly decision: 'allow' | 'review' | 'block';
  /** Finding that determined the decision: `content:<filter>`. */
  readonly matched_rule?: string;
  readonly findings: readonly Finding[];
}

/** Scan of one stream's text that determines what may be released. */
export interface StreamScan {
  /**
   * Returns the text to release now on this channel: everything that cannot be the beginning of a match, redacted if a
   * filter requires it. Returns a promise only if a WASM filter is used. For a channel of JSON text, set `isJson` with
   * each piece.
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
  /** True if there are no filters and no stripping, so callers may skip the work. */
  readonly inputIdle: boolean;
  /** True if requests of normal size are scanned immediately and no filter holds the call for human review. */
  readonly inputQuick: boolean;
  readonly outputIdle: boolean;
  /** Runs all filters and may redact text in place. Never throws: a filter error becomes a finding. */
  checkInput(texts: readonly ScannedText[], context: ContentContext): Promise<Verdict>;
  checkOutput(texts: readonly ScannedText[], context: ContentContext): Promise<Verdict>;
  streamOutput(context: ContentContext): StreamScan;
}

/** Runner for the `check` function of a WASM module. */
export interface WasmRunner {
  /**
   * Runs the check.
   * @returns 0 without a message if the text is allowed; otherwise the module's reason, with its confidence (0 to 1) if
   * given.
   * @throws Error if the module is missing or corrupt, traps, allocates beyond its declared maximum or runs longer than
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
