/** Waiting, for what must go on by itself: leases, heartbeats. None of it keeps the process alive. */
import type { Timeouts } from '#core/kernel/ports.ts';

export const systemTimeouts: Timeouts = {
  after(ms, work) {
    const handle = setTimeout(work, ms);
    handle.unref();
    return () => clearTimeout(handle);
  },
};
