/** Stacks that features add to a deployment on AWS. A feature with a stack also adds a line here. */
export type { AddedStack } from '../lib/added-stack.ts';
export { streamingPlane } from './streaming-plane/stack/stack.ts';
