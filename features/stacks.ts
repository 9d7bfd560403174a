/** Stacks that features add to a deployment on AWS. A feature that has one has a second line here. */
export type { AddedStack } from '../lib/added-stack.ts';
export { streamingPlane } from './streaming-plane/stack/stack.ts';
