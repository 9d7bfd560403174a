/**
 * Module loaded into the gateway before it starts (`--import`). It records the longest stretch of CPU time that the
 * main thread spent without running its timers. Unlike elapsed time, this is not affected by other processes on the
 * same processors.
 */
import { isMainThread } from 'node:worker_threads';

const everyMs = 1;

/** Reply to the message `end`. */
export interface LongestBlock {
  readonly longestMs: number;
}

if (isMainThread && process.send) {
  let [last, longestUs] = [spentUs(), 0];
  const turn = () => {
    const now = spentUs();
    longestUs = Math.max(longestUs, now - last);
    last = now;
  };
  setInterval(turn, everyMs).unref();
  process.on('message', (what: 'begin' | 'end') => {
    turn(); // a message may be handled before the timer
    if (what === 'begin') longestUs = 0;
    else process.send?.({ longestMs: longestUs / 1_000 } satisfies LongestBlock);
  });
  process.channel?.unref();
}

function spentUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
