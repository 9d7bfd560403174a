/**
 * Shows the progress of long work on one terminal line: count, rate and time left. Without a terminal, writes nothing.
 */

/** The terminal on which the line is drawn. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

interface ProgressOptions {
  /** The total; if absent, the remaining time is not shown. */
  readonly total?: number;
  readonly terminal?: Terminal;
  /** Milliseconds from any monotonic clock. */
  readonly now?: () => number;
}

export interface Progress {
  /** Adds to the number of completed items. */
  add(count?: number): void;
  /** Sets the number of completed items. */
  set(count: number): void;
  /** Clears the line, so that the result replaces it. */
  end(): void;
}

/** Time for which no progress is shown, so that short work never shows any. */
const quietMs = 500;
const redrawMs = 100;
const megabyte = 1_000_000;

const noProgress: Progress = { add() {}, set() {}, end() {} };

/** Creates a progress line. @param unit the plural of the counted unit, such as `entries`; `bytes` are shown in MB. */
export function progressOf(unit: string, options: ProgressOptions = {}): Progress {
  const { total, terminal = process.stderr, now = () => performance.now() } = options;
  if (terminal.isTTY !== true) return noProgress;
  const begunMs = now();
  let [count, drawnMs, drawn] = [0, begunMs + quietMs - redrawMs, false];
  const redraw = () => {
    const nowMs = now();
    if (nowMs - drawnMs < redrawMs) return;
    drawnMs = nowMs;
    drawn = true;
    const line = progressLine(unit, count, (nowMs - begunMs) / 1_000, total);
    terminal.write(`\r\u001b[K${line.slice(0, (terminal.columns || 80) - 1)}`);
  };
  return {
    add(more = 1) {
      count += more;
      redraw();
    },
    set(all) {
      count = all;
      redraw();
    },
    end() {
      if (drawn) terminal.write('\r\u001b[K');
    },
  };
}

/** Formats the progress line. @param seconds since the work began, more than 0 */
export function progressLine(unit: string, count: number, seconds: number, total?: number): string {
  const rate = count / seconds;
  const shown = (value: number) =>
    unit === 'bytes' ? (value / megabyte).toFixed(1) : Math.round(value).toLocaleString('en');
  const named = unit === 'bytes' ? 'MB' : unit;
  const done = total === undefined ? `${shown(count)} ${named}` : `${shown(count)} of ${shown(total)} ${named}`;
  const left = total !== undefined && count > 0 ? [`${timeOf((total - count) / rate)} left`] : [];
  return [done, `${shown(rate)}${unit === 'bytes' ? ' MB' : ''}/s`, ...left].join(', ');
}

function timeOf(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}

/** Passes the pieces through and counts their bytes. */
export async function* countedBytes(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  progress: Progress,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of chunks) {
      progress.add(chunk.length);
      yield chunk;
    }
  } finally {
    progress.end();
  }
}
