/** What a data plane runs, in one piece to load. */
export { pollControlPlane } from './poll.ts';
export { Reports } from './report.ts';
