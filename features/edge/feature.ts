/**
 * The local edge: one address for the three listeners of a gateway on this machine. Its documentation page is
 * docs/how-to/use-the-local-edge.md.
 */
import type { Feature } from '../feature.ts';

export const feature = { localEdge: () => import('./host/open.ts') } satisfies Feature;
