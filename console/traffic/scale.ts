/** Scales of a plot: round values on its axis, and times spaced so that their labels fit. */
import { minuteMs } from '#core/kernel/durations.ts';

/** Rounds up to 1, 2 or 5 times a power of ten. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((each) => each * power >= value * (1 - 1e-9)) ?? 10;
  return +(step * power).toPrecision(3);
}

const distances = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440].map((minutes) => minutes * minuteMs);

/** Returns round times within a range, as many as fit. @param offsetMs the offset of local time */
export function timeTicks(fromMs: number, toMs: number, room: number, offsetMs: number): readonly number[] {
  const distance = distances.find((each) => (toMs - fromMs) / each <= Math.max(1, room)) ?? distances.at(-1)!;
  const first = Math.ceil((fromMs + offsetMs) / distance) * distance - offsetMs;
  const ticks: number[] = [];
  for (let at = first; at <= toMs; at += distance) ticks.push(at);
  return ticks;
}
