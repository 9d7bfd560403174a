/** The parts that a data plane runs, bundled as one lazily loaded module. */
export { pollControlPlane } from './poll.ts';
export { Reports } from './report.ts';
