/** Reads the machine's clock. */
import type { Clock } from '#core/kernel/ports.ts';

export const systemClock: Clock = { now: () => Date.now() };
