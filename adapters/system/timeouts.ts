/** Timers for recurring work such as leases and heartbeats. They do not keep the process alive. */
import type { Timeouts } from '#core/kernel/ports.ts';

export const systemTimeouts: Timeouts = {
  after(ms, work) {
    const handle = setTimeout(work, ms);
    handle.unref();
    return () => clearTimeout(handle);
  },
};
