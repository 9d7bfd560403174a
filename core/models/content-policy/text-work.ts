/**
 * Jobs for the filters that scan text character by character, for text that is too large for the request thread
 * [limit.hostile]: input and output of a worker, and the size limit.
 */
import type { ContentFilter } from '#core/contracts/config.ts';
import type { Phase, TallyPart } from './findings.ts';

export interface TextJob {
  /** Filters as configured, except WASM filters. */
  readonly filters: readonly ContentFilter[];
  readonly phase: Phase;
  readonly lenient: boolean;
  readonly texts: readonly WrittenText[];
}

/** Text and whether it is JSON. */
export interface WrittenText {
  readonly text: string;
  readonly json?: boolean | undefined;
}

export interface CheckedTexts {
  /** Texts in the original order, redacted if a filter requires it. */
  readonly texts: readonly string[];
  readonly found: TallyPart;
}

/** Work done outside the request thread. */
export interface TextWork {
  /**
   * Checks the texts.
   * @throws GatewayError `payload_too_large` if they take longer than allowed, `service_unavailable` if no worker
   * becomes free.
   */
  check(job: TextJob): Promise<CheckedTexts>;
  /** Yields to other work. */
  turn(): Promise<void>;
}

/**
 * Amount of text that takes filters about a millisecond. A character beyond ASCII costs as much as many ASCII
 * characters, because it is folded first.
 */
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

/** Number of streamed characters to scan before other work may run. */
export const turnCharacters = 2 * 1024;
