/** A running span, and the state shared by a trace's spans in this process. */
import { randomFillSync } from 'node:crypto';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Span, SpanAttributes } from '#core/kernel/ports.ts';
import { type TraceContext, traceparent, tracestate } from '#core/kernel/trace-context.ts';
import type { EndedSpan, SpanEnd } from './spans.ts';

export const freshContext = (): TraceContext => ({
  traceId: freshId(16),
  parentId: undefined,
  sampled: undefined,
  random: true,
  tracestate: undefined,
});

/** Random bytes, drawn in bulk because drawing eight at a time costs more than the rest of a span. */
const stock = Buffer.alloc(4096);
let used = stock.length;

function freshId(bytes: number): string {
  if (used + bytes > stock.length) {
    randomFillSync(stock);
    used = 0;
  }
  used += bytes;
  return stock.toString('hex', used - bytes, used);
}

/** Decision on whether a trace is exported, shared by all parts of the trace in this process. */
export interface SamplingDecision {
  sampled: boolean;
}

/** State shared by a trace's spans in this process. */
export interface LocalTrace extends Omit<TraceContext, 'sampled'> {
  readonly fate: SamplingDecision;
  /** True if the sampling rate was applied here, not by the caller. */
  readonly begins: boolean;
  /**
   * True if the trace is not sampled but a failure or a long duration may change that. In that case its spans are held
   * until the last one ends.
   */
  isHeld: boolean;
  /**
   * Reading of the clock and the monotonic timer, in milliseconds, taken at the same moment; child spans are timed
   * relative to this pair.
   */
  readonly startedMs: number;
  readonly from: number;
  readonly spans: OpenSpan[];
  /** Address of the span in another system; set once the span has ended. */
  url?: string | undefined;
}

/** The parent span, the depth, and the monotonic timer's value in milliseconds at the span's start. */
interface SpanPlace {
  readonly parentId: string | undefined;
  readonly depth: number;
  readonly from: number;
}

export class OpenSpan implements Span, EndedSpan {
  readonly trace: LocalTrace;
  readonly name: string;
  readonly spanId = freshId(8);
  readonly parentId: string | undefined;
  readonly depth: number;
  readonly #from: number;
  /**
   * Initial attributes. Most spans are never viewed, so later attributes are merged only when the span is first viewed.
   */
  #attributes: SpanAttributes;
  #more: SpanAttributes[] | undefined;
  #durationMs = 0;
  end: SpanEnd = 'well';

  constructor(trace: LocalTrace, name: string, attributes: SpanAttributes, { parentId, depth, from }: SpanPlace) {
    this.trace = trace;
    this.name = name;
    this.#attributes = attributes;
    this.parentId = parentId;
    this.depth = depth;
    this.#from = from;
  }

  child(name: string, attributes: SpanAttributes): OpenSpan {
    return new OpenSpan(this.trace, name, attributes, {
      parentId: this.spanId,
      depth: this.depth + 1,
      from: performance.now(),
    });
  }

  set(more: SpanAttributes): void {
    if (this.#more) this.#more.push(more);
    else this.#more = [more];
  }

  get attributes(): SpanAttributes {
    if (this.#more) this.#attributes = Object.assign({}, this.#attributes, ...this.#more);
    this.#more = undefined;
    return this.#attributes;
  }

  elapsedUs(): number {
    return Math.round((performance.now() - this.#from) * 1_000);
  }

  /** Records an exception. A refusal caused by the caller does not count as a failure of the span. */
  threw(thrown: unknown): void {
    const known = thrown instanceof GatewayError;
    this.end = known && thrown.kind.status < 500 ? 'refused' : 'failed';
    if (this.attributes['error.type'] !== undefined) return;
    this.set({ 'error.type': known ? thrown.code : thrown instanceof Error ? thrown.name : typeof thrown });
  }

  over(): void {
    this.#durationMs = performance.now() - this.#from;
    this.trace.spans.push(this);
  }

  /** Returns trace headers. Systems that read the gateway's `tracestate` can find the calling span among others. */
  headers(): Record<string, string> {
    const { traceId, spanId, sampled, random, trace } = this;
    const headers: Record<string, string> = { traceparent: traceparent(traceId, spanId, { sampled, random }) };
    if (trace.tracestate !== undefined) headers.tracestate = tracestate(trace.tracestate, spanId);
    return headers;
  }

  get traceId(): string {
    return this.trace.traceId;
  }
  get sampled(): boolean {
    return this.trace.fate.sampled;
  }
  get random(): boolean {
    return this.trace.random;
  }
  get tracestate(): string | undefined {
    return this.trace.tracestate;
  }
  get parentIsRemote(): boolean {
    return this.depth === 0 && this.parentId !== undefined;
  }
  get startMs(): number {
    return this.trace.startedMs + (this.#from - this.trace.from);
  }
  get endMs(): number {
    return this.startMs + this.#durationMs;
  }
}
