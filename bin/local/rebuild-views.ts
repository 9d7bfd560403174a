/** Rebuilds views whose database is new, for example after an upgrade, in batches between other work. */
import type { Views } from '#adapters/local/views/views.ts';
import { rebuild } from '#core/observatory/rebuild.ts';
import type { GatewayPorts } from '#lambdas/ports.ts';

/** Number of entries read at a time. */
const pieceEntries = 500;

/** Starts rebuilding the views of all tenants from evidence. */
export function rebuildViews(
  { evidence, telemetry }: Pick<GatewayPorts, 'evidence' | 'telemetry'>,
  views: Views,
  tenants: () => Promise<readonly string[]>,
): { stop(): Promise<void> } {
  let stopping = false;
  const run = async () => {
    let entries = 0;
    for (const tenant of await tenants()) {
      let cursor: string | undefined;
      do {
        const range = { atMost: pieceEntries, ...(cursor !== undefined && { cursor }) };
        const done = await rebuild({ evidence, observations: views }, tenant, range);
        entries += done.entries;
        cursor = done.cursor;
        if (stopping) return;
      } while (cursor !== undefined);
    }
    await views.completed();
    telemetry.log('info', 'usage and analytics were rebuilt from evidence', { entries });
  };
  const running = run().catch((fault: Error) =>
    telemetry.log('warn', 'usage and analytics were not rebuilt; the next start tries again', {
      error: fault.message,
    }),
  );
  return {
    stop: () => {
      stopping = true;
      return running;
    },
  };
}
