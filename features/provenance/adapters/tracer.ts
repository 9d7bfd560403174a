/** The tracer over the gateway's tables. Its code is loaded at first use. */
import { lazyStore } from '#adapters/tables/lazy-store.ts';
import type { ValueTracers } from '../../feature.ts';

export const valueTracer: ValueTracers['valueTracer'] = ({ store, clock, ids }) =>
  lazyStore(
    async () => {
      const [{ tracerOver }, { provenanceTable }] = await Promise.all([import('../tracer.ts'), import('./table.ts')]);
      return tracerOver({ provenance: provenanceTable({ store }), clock, ids });
    },
    { trace: true, notes: true, keepWords: true, keepResult: true, keepConversation: true },
  );
