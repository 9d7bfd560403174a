/** One plot over time. It is a picture: the table beside it says the same to those who cannot see it [console.traffic]. */
import { useEffect, useRef } from 'preact/hooks';
import type Drawn from 'uplot';

interface Series {
  readonly name: string;
  /** One of the colours of the page. */
  readonly colour: 'accent' | 'good' | 'bad' | 'warn';
  /** As many as there are times; null if no value was measured. */
  readonly values: readonly (number | null)[];
}

interface Props {
  readonly title: string;
  /** Seconds since the Unix epoch, rising. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly unit: string;
}

const height = 200;

/** Room for the longest label: 12-pixel digits are less than 8 wide, beside a gap and the grid. */
const axisWidth = (labels: readonly string[]): number =>
  Math.max(60, 20 + 8 * Math.max(0, ...labels.map(({ length }) => length)));

const day = 86_400;

/** A moment in the reader's own way; over more than a day with its weekday. */
function clockOf(times: readonly number[]): (seconds: number) => string {
  const long = (times.at(-1) ?? 0) - (times[0] ?? 0) > day;
  const form = new Intl.DateTimeFormat(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    ...(long && { weekday: 'short' }),
  });
  return (seconds) => form.format(seconds * 1000);
}

const alone = (values: ArrayLike<number | null | undefined>): number[] =>
  Array.from(values, (value, at) =>
    value != null && values[at - 1] == null && values[at + 1] == null ? at : -1,
  ).filter((at) => at >= 0);

/** Drawn again when its values, its width or the colours of the page change. */
export function Plot({ title, times, series, unit }: Props) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const at = place.current!;
    let ended = false;
    let drawn: { destroy(): void } | undefined;
    const draw = async () => {
      const { default: UPlot } = await import('uplot');
      if (ended) return;
      drawn?.destroy();
      const { color, borderTopColor } = getComputedStyle(at);
      const keys = [...at.parentElement!.querySelectorAll('.key')].map((key) => getComputedStyle(key).color);
      const axis = { stroke: color, grid: { stroke: borderTopColor, width: 1 }, ticks: { show: false } };
      drawn = new UPlot(
        {
          width: Math.max(200, at.clientWidth),
          height,
          legend: { show: false },
          cursor: { show: false },
          scales: { y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] } },
          axes: [
            { ...axis, space: 72, values: (_plot, ticks) => ticks.map(clockOf(times)) },
            {
              ...axis,
              values: (_plot, ticks) => ticks.map((tick) => `${+tick.toPrecision(3)}`),
              size: (_plot, labels) => axisWidth(labels ?? []),
            },
          ],
          series: [
            {},
            ...series.map(({ name }, i) => ({
              label: name,
              stroke: keys[i] ?? color,
              width: 2,
              // A line needs two values: a single one is drawn as a point.
              points: { show: true, size: 5, filter: (plot: Drawn, at: number) => alone(plot.data[at] ?? []) },
            })),
          ],
        },
        [[...times], ...series.map(({ values }) => [...values])],
        at,
      );
    };
    const again = () => void draw();
    again();
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', again);
    const resized = new ResizeObserver(again);
    resized.observe(at);
    return () => {
      ended = true;
      drawn?.destroy();
      scheme.removeEventListener('change', again);
      resized.disconnect();
    };
  }, [times, series]);
  return (
    <figure>
      <figcaption>
        {title} ({unit}):{' '}
        {series.map(({ name, colour }) => (
          <span key={name} class={`key ${colour}`}>
            {name}
          </span>
        ))}
      </figcaption>
      <div ref={place} class="plot" aria-hidden="true" />
    </figure>
  );
}
