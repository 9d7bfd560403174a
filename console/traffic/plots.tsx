/**
 * Plots over a shared time axis: stacked bars, and latency as a band from the median to the 95th percentile. They are
 * images; the tables on the page contain the same values [console.traffic].
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { dayMs } from '#core/kernel/durations.ts';
import { milliseconds } from '../requests/milliseconds.ts';
import { figure, money } from '../words.ts';
import { roundUp, timeTicks } from './scale.ts';
import { type Series, sum, type Traffic } from './series.ts';

/** First and last selected step. */
export type Selection = readonly [first: number, last: number];

interface PlotsProps {
  readonly traffic: Traffic;
  readonly selection: Selection | undefined;
  readonly select: (selection: Selection | undefined) => void;
}

const height = 96;
const right = 10;

export function Plots({ traffic, selection, select }: PlotsProps) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [hovered, setHovered] = useState<number | undefined>();
  const begun = useRef<number | undefined>();
  useEffect(() => {
    const resized = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    resized.observe(place.current!);
    return () => resized.disconnect();
  }, []);
  const { times, stepMs, latency, series } = traffic;
  const bars = {
    requests: stackBars(series, 'requests'),
    tokens: stackBars(series, 'tokens'),
    usd: stackBars(series, 'usd'),
  };
  const slowest = Math.max(0, ...latency.map((each) => each?.p95 ?? 0));
  const left = roomFor([
    ...labelsOf(bars.requests.top, figure),
    ...labelsOf(slowest, milliseconds),
    ...labelsOf(bars.tokens.top, short),
    ...labelsOf(bars.usd.top, money),
  ]);
  const stepWidth = Math.max(0, width - left - right) / times.length;
  const stepAt = (event: PointerEvent): number => {
    const { left: edge } = place.current!.getBoundingClientRect();
    return Math.min(times.length - 1, Math.max(0, Math.floor((event.clientX - edge - left) / stepWidth)));
  };
  const drag = {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      begun.current = stepAt(event);
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      const at = stepAt(event);
      setHovered(at);
      const { current: from } = begun;
      if (from !== undefined && from !== at) select([Math.min(from, at), Math.max(from, at)]);
    },
    onPointerUp: (event: PointerEvent) => {
      const at = stepAt(event);
      if (begun.current === at) select(selection && at >= selection[0] && at <= selection[1] ? undefined : [at, at]);
      begun.current = undefined;
    },
    onPointerLeave: () => setHovered(undefined),
  };
  const ticks = timeTicks(
    times[0]!,
    times.at(-1)! + stepMs,
    (width - left - right) / 84,
    -new Date(times[0]!).getTimezoneOffset() * 60_000,
  );
  const x = (ms: number): number => left + ((ms - times[0]!) / stepMs) * stepWidth;
  const frame = { width, left, stepWidth, ticks: ticks.map(x), selection, hovered };
  const at = hovered ?? selection?.[0];
  const values = (member: 'requests' | 'tokens' | 'usd') =>
    at === undefined
      ? series.reduce((total, each) => total + sum(each[member]), 0)
      : sum(series.map((each) => each[member][at]!));
  const band = at === undefined ? undefined : latency[at];
  return (
    <div ref={place} class="plots" aria-hidden="true" {...drag}>
      {width > 0 && (
        <>
          <p class="plot-at">{at === undefined ? 'All' : clockOf(times)(times[at]!)}</p>
          <Panel title="Requests" value={figure(values('requests'))} label={figure} {...frame} {...bars.requests} />
          <Panel
            title="Latency, p50 to p95"
            value={band ? `${milliseconds(band.p50)} to ${milliseconds(band.p95)}` : ''}
            label={milliseconds}
            {...frame}
            bars={latency.flatMap((each, step) => (each ? [{ step, from: each.p50, to: each.p95, tone: 'band' }] : []))}
            lines={latency.flatMap((each, step) => (each ? [{ step, at: each.p50 }] : []))}
            top={slowest}
          />
          <Panel title="Tokens" value={figure(values('tokens'))} label={short} {...frame} {...bars.tokens} />
          <Panel title="Cost" value={money(values('usd'))} label={money} {...frame} {...bars.usd} />
          <svg class="axis" width={width} height={22} aria-hidden="true" focusable="false">
            {ticks.map((tick) => (
              <text key={tick} x={x(tick)} y={15} text-anchor={anchorOf(x(tick), left, width)}>
                {clockOf(times)(tick)}
              </text>
            ))}
          </svg>
        </>
      )}
    </div>
  );
}

/** Returns the room needed for an axis's longest label: digits at 11 pixels are less than 7 pixels wide. */
const roomFor = (labels: readonly string[]): number => 16 + 7 * Math.max(4, ...labels.map(({ length }) => length));

const labelsOf = (top: number, label: (value: number) => string): readonly string[] =>
  [0, 0.5, 1].map((share) => label(roundUp(top) * share));

/** Half the width of a label. A label closer to an edge would be cut off. */
const halfLabel = 36;
const anchorOf = (x: number, left: number, width: number): 'start' | 'middle' | 'end' =>
  x < left - halfLabel / 2 ? 'start' : x > width - halfLabel ? 'end' : 'middle';

/** Formats a time in the reader's locale, with its weekday if the plot spans more than a day. */
export function clockOf(times: readonly number[]): (ms: number) => string {
  const long = (times.at(-1) ?? 0) - (times[0] ?? 0) > dayMs;
  const form = new Intl.DateTimeFormat(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    ...(long && { weekday: 'short' }),
  });
  return (ms) => form.format(ms);
}

const short = (value: number): string => Intl.NumberFormat('en', { notation: 'compact' }).format(value);

interface TrafficBar {
  readonly step: number;
  readonly from: number;
  readonly to: number;
  readonly tone: string;
}

interface PanelProps {
  readonly title: string;
  /** Value at the step under the pointer, or over the whole time range. */
  readonly value: string;
  readonly label: (value: number) => string;
  readonly width: number;
  /** Start times of the steps. */
  readonly left: number;
  readonly stepWidth: number;
  /** Times of the grid lines. */
  readonly ticks: readonly number[];
  readonly selection: Selection | undefined;
  readonly hovered: number | undefined;
  readonly bars: readonly TrafficBar[];
  readonly lines?: readonly { readonly step: number; readonly at: number }[];
  /** The largest value. */
  readonly top: number;
}

function stackBars(series: readonly Series[], member: 'requests' | 'tokens' | 'usd'): Pick<PanelProps, 'bars' | 'top'> {
  const bars: TrafficBar[] = [];
  const tops = (series[0]?.[member] ?? []).map(() => 0);
  for (const { tone, [member]: values } of series)
    values.forEach((value, step) => {
      if (value > 0) bars.push({ step, tone, from: tops[step]!, to: tops[step]! + value });
      tops[step]! += value;
    });
  return { bars, top: Math.max(0, ...tops) };
}

/** Minimum bar width, in pixels, at which bars have a gap between them. */
const gapFrom = 4;

function Panel({
  title,
  value,
  label,
  width,
  left,
  stepWidth,
  ticks,
  selection,
  hovered,
  bars,
  lines = [],
  top,
}: PanelProps) {
  const max = roundUp(top);
  const y = (of: number): number => height - (of / max) * (height - 6);
  const xOf = (step: number): number => left + step * stepWidth;
  const barWidth = Math.max(1, stepWidth >= gapFrom ? stepWidth - 1 : stepWidth);
  return (
    <figure class="panel">
      <figcaption>
        {title} <span>{value}</span>
      </figcaption>
      <svg width={width} height={height + 1} aria-hidden="true" focusable="false">
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line class="grid" x1={left} x2={width - right} y1={y(max * share)} y2={y(max * share)} />
            <text x={left - 8} y={y(max * share) + (share === 1 ? 9 : share === 0 ? -1 : 4)} text-anchor="end">
              {share === 0.5 && max === 1 ? '' : label(max * share)}
            </text>
          </g>
        ))}
        {ticks.map((tick) => (
          <line key={tick} class="grid" x1={tick} x2={tick} y1={0} y2={height} />
        ))}
        {selection && (
          <rect
            class="selected"
            x={xOf(selection[0])}
            width={(selection[1] - selection[0] + 1) * stepWidth}
            y={0}
            height={height}
          />
        )}
        {hovered !== undefined && <rect class="hovered" x={xOf(hovered)} width={stepWidth} y={0} height={height} />}
        {bars.map(({ step, from, to, tone }) => (
          <rect
            key={`${step} ${tone}`}
            class={`bar ${tone}`}
            x={xOf(step)}
            width={barWidth}
            y={y(to)}
            height={Math.max(1, y(from) - y(to))}
          />
        ))}
        {lines.map(({ step, at }) => (
          <line key={step} class="median" x1={xOf(step)} x2={xOf(step) + barWidth} y1={y(at)} y2={y(at)} />
        ))}
      </svg>
    </figure>
  );
}
