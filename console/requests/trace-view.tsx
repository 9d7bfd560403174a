/** A trace as a waterfall: one row per span, with its attributes on demand. */
import { Fact, Facts } from '../design/layout.tsx';
import { Code, Text } from '../design/text.tsx';
import { milliseconds } from './milliseconds.ts';
import { type Bar, type Trace, waterfallOf } from './waterfall.ts';

export function TraceView({ trace }: { readonly trace: Trace }) {
  const { bars, totalMs } = waterfallOf(trace.spans);
  return (
    <>
      <p class="quiet">
        {bars.length} spans in {exactDuration(totalMs)}
        {trace.xray_url && (
          <>
            {' · '}
            <a href={trace.xray_url} rel="noreferrer">
              Open in X-Ray
            </a>
          </>
        )}
      </p>
      <ol class="waterfall">
        {bars.map((bar) => (
          <Row key={bar.span.span_id} {...bar} />
        ))}
      </ol>
    </>
  );
}

/** Formats a duration; short spans have fractions of a millisecond. */
const exactDuration = (ms: number): string => (ms < 10 ? `${+ms.toPrecision(2)} ms` : milliseconds(ms));

/** Maximum indentation; deeper spans are not indented further. */
const deepest = 6;

const Row = ({ span, depth, start, length, afterMs }: Bar) => (
  <li>
    <details>
      <summary>
        <span class={`span-name depth-${Math.min(depth, deepest)}`}>
          <Code of={span.name} />
          {span.status === 'error' && <span class="bad"> failed</span>}
        </span>
        <svg class={`span-bar ${span.status}`} aria-hidden="true" focusable="false">
          <rect x={`${start * 100}%`} y="25%" width={`${Math.max(length * 100, 0.4)}%`} height="50%" rx="3" />
        </svg>
        <span class="span-time">
          {exactDuration(span.duration_ms)}
          <span class="unseen">, begun after {exactDuration(afterMs)}</span>
        </span>
      </summary>
      <Facts>
        {Object.entries(span.attributes).map(([name, value]) => (
          <Fact key={name} name={name}>
            <Text of={String(value)} />
          </Fact>
        ))}
      </Facts>
    </details>
  </li>
);
