/**
 * The selected time range by keyboard: two sliders under the plots, and a button to clear the selection
 * [console.traffic].
 */
import { Button } from '../design/button.tsx';
import { clockOf, type Selection } from './plots.tsx';
import type { Traffic } from './series.ts';

interface SelectionProps {
  readonly traffic: Traffic;
  readonly selection: Selection | undefined;
  readonly select: (selection: Selection | undefined) => void;
}

export function SelectionFields({ traffic: { times, stepMs }, selection, select }: SelectionProps) {
  const last = times.length - 1;
  const [from, to] = selection ?? [0, last];
  const clock = clockOf(times);
  return (
    <fieldset class="selection">
      <legend class="unseen">Selected time</legend>
      <label>
        <span>From {clock(times[from]!)}</span>
        <input
          type="range"
          min={0}
          max={last}
          value={from}
          aria-valuetext={clock(times[from]!)}
          onInput={(event) => {
            const at = Number(event.currentTarget.value);
            select([at, Math.max(at, to)]);
          }}
        />
      </label>
      <label>
        <span>To {clock(times[to]! + stepMs)}</span>
        <input
          type="range"
          min={0}
          max={last}
          value={to}
          aria-valuetext={clock(times[to]! + stepMs)}
          onInput={(event) => {
            const at = Number(event.currentTarget.value);
            select([Math.min(at, from), at]);
          }}
        />
      </label>
      <Button small disabled={!selection} onClick={() => select(undefined)}>
        Clear the selection
      </Button>
    </fieldset>
  );
}
