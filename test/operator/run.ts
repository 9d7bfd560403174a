/**
 * The operator and the chart against a real kube-apiserver and a real gateway (`npm run test:operator`). Both servers
 * are built once from Go modules. Without Go the tier is skipped with a message; with OPERATOR=required it fails.
 */
import { runChecks } from '../support/checks.ts';
import { builtPrograms } from './build.ts';
import { startCluster } from './cluster.ts';
import { definitions } from './definitions.ts';
import { replicas } from './replicas.ts';
import { story } from './story.ts';

const programs = builtPrograms();
if (programs === undefined) {
  const isRequired = process.env.OPERATOR === 'required';
  console.log('SKIPPED: the operator was not run against a real API server, because Go is not installed.');
  console.log(`0 passed, ${isRequired ? 1 : 0} failed`);
  process.exit(isRequired ? 1 : 0);
}

const cluster = await startCluster(programs);
try {
  const { passed, failed } = await runChecks([
    ...definitions(cluster, programs),
    ...story(cluster, programs),
    ...replicas(cluster, programs),
  ]);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await cluster.stop();
}
