/** For projectors whose violations no webhook takes. */
import type { AnnouncePorts } from '#core/observatory/policy-events.ts';

export const unannounced: AnnouncePorts = {
  deliveries: { enqueue: () => Promise.reject(new Error('nothing is announced here')) },
  clock: { now: () => 0 },
  wanted: async () => false,
};
