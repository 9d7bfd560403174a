/** Reads the clock of the machine. */
import type { Clock } from '#core/kernel/ports.ts';

export const systemClock: Clock = { now: () => Date.now() };
