/**
 * Output filters on streamed text: decoded text is added by channel, in pieces of any size, and text that cannot be the
 * beginning of a match is released. The longest beginning of a possible match is held back. Guarantees, regardless of
 * how the text is split:
 * - text blocked by a keyword, a PII filter or a pattern of bounded length up to the window (256 characters) is not
 * released, not even in part; for an unbounded pattern, all but the window may be released before the match is
 * complete;
 * - personal data is redacted as in the whole text; for a secret longer than its window (8,192 characters), only the
 * rest is redacted;
 * - text that no filter blocks or redacts is released unchanged. Filters that only warn or log do not hold text back.
 */
import { ChannelScan } from './channel-scan.ts';
import type { Filters } from './filters.ts';
import type { Tally } from './findings.ts';
import { decodedJson } from './json-spelling.ts';
import type { ContentContext, StreamScan, Verdict } from './ports.ts';
import { type TextWork, turnCharacters } from './text-work.ts';

/** Maximum amount of text, counted from the end of a long stream, that WASM filters receive. */
const wasmCharacters = 64 * 1024;
/** Kinds of filters that scan text character by character. */
const scanned = ['keyword', 'regex', 'pii'] as const;

export class OutputScan implements StreamScan {
  readonly #filters: Filters;
  readonly #context: ContentContext;
  readonly #tally: Tally;
  readonly #channels = new Map<string, ChannelScan>();
  /** Text so far by channel, for WASM filters. */
  readonly #texts = new Map<string, string>();
  /** Channels with JSON text, which modules receive decoded. */
  readonly #json = new Set<string>();
  /** Queue of WASM calls, so that text is released in order of arrival. */
  #queue: Promise<unknown> = Promise.resolve();
  /** True if the scanner failed in permissive mode; text then passes. */
  #passes = false;

  constructor(filters: Filters, context: ContentContext) {
    this.#filters = filters;
    this.#context = context;
    this.#tally = filters.tally();
    for (const filter of [...filters.keywords.broken, ...filters.regexes.broken]) this.#tally.erred(filter);
    // Compiles the filters now, before the first token.
    filters.guarded(this.#tally, scanned, () => void new ChannelScan(filters, this.#tally));
  }

  push(channel: string, text: string, isJson = false): string | Promise<string> {
    const { work } = this.#filters;
    if (work && text.length > turnCharacters) return this.#pushInTurns(channel, text, work, isJson);
    return this.#release(channel, text, (scan) => scan.push(text), isJson);
  }

  /** Scans a long text in slices, yielding to other work in between. */
  async #pushInTurns(channel: string, text: string, work: TextWork, isJson: boolean): Promise<string> {
    let released = '';
    for (let from = 0; from < text.length && !this.#tally.blocked; from += turnCharacters) {
      const slice = text.slice(from, from + turnCharacters);
      released += await this.#release(channel, slice, (scan) => scan.push(slice), isJson);
      await work.turn();
    }
    return this.#tally.blocked ? '' : released;
  }

  end(channel: string): string | Promise<string> {
    if (!this.#channels.has(channel)) return '';
    return this.#release(channel, '', (scan) => {
      this.#channels.delete(channel);
      return scan.end();
    });
  }

  open(): readonly string[] {
    return [...this.#channels].filter(([, scan]) => scan.holds).map(([channel]) => channel);
  }

  verdict(): Verdict {
    return this.#tally.verdict();
  }

  #release(
    channel: string,
    text: string,
    work: (scan: ChannelScan) => string,
    isJson = false,
  ): string | Promise<string> {
    if (this.#tally.blocked) return '';
    const released = this.#scanned(channel, text, work, isJson);
    if (this.#tally.blocked) return '';
    if (this.#filters.wasm.filters.length === 0) return released;
    return this.#judged(channel, text, released, isJson);
  }

  #scanned(channel: string, text: string, work: (scan: ChannelScan) => string, isJson: boolean): string {
    if (this.#passes) return text;
    const held = this.#channels.get(channel)?.held ?? '';
    const released = this.#filters.guarded(this.#tally, scanned, () => {
      const scan = this.#channels.get(channel) ?? new ChannelScan(this.#filters, this.#tally, isJson);
      this.#channels.set(channel, scan);
      return work(scan);
    });
    if (released !== undefined) return released;
    this.#passes = true;
    return held + text;
  }

  /**
   * Runs the WASM filters on the text so far before any of it is released. A filter with a finding or an error is not
   * run again.
   */
  #judged(channel: string, text: string, released: string, isJson: boolean): Promise<string> {
    const written = ((this.#texts.get(channel) ?? '') + text).slice(-wasmCharacters);
    this.#texts.set(channel, written);
    if (isJson) this.#json.add(channel);
    const sofar = this.#json.has(channel) ? decodedJson(written) : written;
    const judged = this.#queue.then(async () => {
      if (this.#tally.blocked) return '';
      if (released !== '') {
        const asks = (filter: number) => !this.#tally.hasErred(filter) && !this.#tally.hasFound(filter);
        await this.#filters.wasm.check(sofar, this.#context, this.#tally, asks);
      }
      return this.#tally.blocked ? '' : released;
    });
    this.#queue = judged;
    return judged;
  }
}
