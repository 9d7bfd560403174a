/** Progress of long work on one line of a terminal: count, rate and time left. Elsewhere nothing is written. */

/** What a line is drawn on. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

interface ProgressOptions {
  /** How many there are in all; without it no time left is shown. */
  readonly total?: number;
  readonly terminal?: Terminal;
  /** Milliseconds of any clock that does not go back. */
  readonly now?: () => number;
}

export interface Progress {
  /** So many more are done. */
  add(count?: number): void;
  /** So many are done in all. */
  set(count: number): void;
  /** Takes the line away, so that the result stands in its place. */
  end(): void;
}

/** Work that ends before this shows nothing. */
const quietMs = 500;
const redrawMs = 100;
const megabyte = 1_000_000;

const nothing: Progress = { add() {}, set() {}, end() {} };

/** @param unit what is counted, in the plural: `entries`; `bytes` are shown in MB. */
export function progressOf(unit: string, options: ProgressOptions = {}): Progress {
  const { total, terminal = process.stderr, now = () => performance.now() } = options;
  if (terminal.isTTY !== true) return nothing;
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

/** @param seconds since the work began, more than 0 */
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

/** The same pieces, counted by their bytes as they pass. */
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
