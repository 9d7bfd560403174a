/**
 * Provenance: the sources of the values in calls. It adds no operations: a line in `value-tracers.ts` adds the tracer
 * to every host. Its page is docs/explanation/provenance.md.
 */
import type { Rights } from '#core/contracts/function-spec.ts';
import type { Feature } from '../feature.ts';

const records: Partial<Rights> = { tables: { provenance: 'write' } };
const traces: Partial<Rights> = { ...records, queries: ['provenance'] };

export const feature = {
  rights: {
    // Stores the user's words as a source for the session's tool calls.
    'chat-completions': records,
    messages: records,
    'ws-worker': records,
    'test-action': traces,
    mcp: traces,
    'approval-steps': traces,
  },
} satisfies Feature;
