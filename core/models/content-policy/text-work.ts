/**
 * The filters that look at every character, over texts that are too large for the thread that answers all requests
 * [limit.heavy-work]: what a worker is given, what it gives back, and from which size on.
 */
import type { ContentFilter } from '#core/contracts/config.ts';
import type { Phase, TallyPart } from './findings.ts';

export interface TextJob {
  /** As configured, those of kind wasm left out. */
  readonly filters: readonly ContentFilter[];
  readonly phase: Phase;
  readonly lenient: boolean;
  readonly texts: readonly WrittenText[];
}

/** A text, and whether it is JSON. */
export interface WrittenText {
  readonly text: string;
  readonly json?: boolean | undefined;
}

export interface CheckedTexts {
  /** In the same order, redacted where a filter says so. */
  readonly texts: readonly string[];
  readonly found: TallyPart;
}

/** Work beside the thread that answers all requests. */
export interface TextWork {
  /**
   * @throws GatewayError `payload_too_large` when the texts take longer than allowed, `service_unavailable` when no worker
   * becomes free.
   */
  check(job: TextJob): Promise<CheckedTexts>;
  /** Lets other work have a turn. */
  turn(): Promise<void>;
}

/** About a millisecond of filters. Beyond ASCII a character costs as much as many, because it is folded first. */
const inlineCost = 16 * 1024;
const costBeyondAscii = 8;

export function isLarge(texts: readonly WrittenText[]): boolean {
  let cost = 0;
  for (const { text } of texts) {
    cost += text.length + (Buffer.byteLength(text) - text.length) * costBeyondAscii;
    if (cost > inlineCost) return true;
  }
  return false;
}

/** How much of a stream's text is scanned before other work has a turn. */
export const turnCharacters = 2 * 1024;
