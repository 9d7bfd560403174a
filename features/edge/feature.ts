/** The edge of a gateway on this machine: one address for its three listeners. Its page is docs/how-to/use-the-local-edge.md. */
import type { Feature } from '../feature.ts';

export const feature = { localEdge: () => import('./host/open.ts') } satisfies Feature;
