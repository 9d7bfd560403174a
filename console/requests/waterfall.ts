/** A trace as bars over time: each span is shown below its parent [console.request]. */

interface Span {
  readonly span_id: string;
  readonly parent_id: string | null;
  readonly name: string;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly status: 'ok' | 'error';
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Trace as returned by the feature `traces`. */
export interface Trace {
  readonly xray_url?: string;
  readonly spans: readonly Span[];
}

export interface Bar {
  readonly span: Span;
  /** Number of ancestor spans. */
  readonly depth: number;
  /** Start and length as fractions of the whole, from 0 to 1. */
  readonly start: number;
  readonly length: number;
  /** Milliseconds after the trace began. */
  readonly afterMs: number;
}

interface Waterfall {
  readonly bars: readonly Bar[];
  readonly totalMs: number;
}

/**
 * Returns spans in order of their start, children after their parents. A span whose parent is missing is a root. Start
 * times are only accurate to the millisecond, so spans within one millisecond are drawn one after another.
 */
export function waterfallOf(spans: readonly Span[]): Waterfall {
  const begin = Math.min(...spans.map(startMs));
  const end = Math.max(...spans.map((span) => startMs(span) + span.duration_ms));
  const totalMs = spans.length === 0 ? 0 : Math.max(end - begin, 0.01);
  const ids = new Set(spans.map(({ span_id }) => span_id));
  const children = Map.groupBy(spans, ({ parent_id }) => (parent_id !== null && ids.has(parent_id) ? parent_id : ''));
  const bars: Bar[] = [];
  const seen = new Set<string>();
  const add = (span: Span, depth: number, after: number) => {
    if (seen.has(span.span_id)) return;
    seen.add(span.span_id);
    const afterMs = Math.max(after, 0);
    bars.push({ span, depth, afterMs, start: afterMs / totalMs, length: span.duration_ms / totalMs });
    const last = afterMs + span.duration_ms;
    let before = afterMs;
    for (const child of (children.get(span.span_id) ?? []).toSorted((a, b) => startMs(a) - startMs(b))) {
      const known = Math.max(startMs(child) - begin, afterMs);
      const behind = before - known < 1 ? Math.max(known, before) : known;
      const place = Math.max(afterMs, Math.min(behind, last - child.duration_ms));
      add(child, depth + 1, place);
      before = place + child.duration_ms;
    }
  };
  for (const root of children.get('') ?? []) add(root, 0, startMs(root) - begin);
  return { bars, totalMs };
}

const startMs = ({ started_at }: Span): number => Date.parse(started_at);
