/** The parts that a data plane runs, as one lazily loaded module. */
export { pollControlPlane } from './poll.ts';
export { Reports } from './report.ts';
