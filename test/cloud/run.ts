/**
 * The deployed gateway, end to end (`npm run test:cloud`): the real `cdk deploy` of the real stacks and bundles onto an
 * AWS emulator that enforces IAM, then the life cycle of actions, approvals and evidence over HTTP, votes by
 * pull-request comment, chat over HTTP and WebSocket, their traces, MCP with a server behind it and credentials minted
 * for its calls, the limits of each role, an upgrade from one release to another, the stacks a second time as data
 * planes in another region and in another account, and local gateways over a locked bucket. `npm run test:cloud --
 * federation` runs only the named stories. Not covered, because the emulator lacks it: response streaming, TTL,
 * recovery, object lock by the templates, encryption, logs, metrics and payload limits; test/infra asserts those on the
 * templates.
 */

import { type Check, runChecks } from '../support/checks.ts';
import { fakePullRequests } from '../support/fake-pull-requests.ts';
import { brokerChecks } from './brokers.ts';
import { gatewayAt, provisionKeys, storeModule } from './caller.ts';
import { chatChecks } from './chat.ts';
import { configurationFor, guard } from './configuration.ts';
import { deploy } from './deployment.ts';
import { type Emulator, startEmulator } from './emulator.ts';
import { endpointChecks } from './endpoints.ts';
import { executionChecks } from './execution.ts';
import { federationChecks } from './federation.ts';
import { firstConfigurationChecks } from './first-configuration.ts';
import { guideChecks } from './guide.ts';
import { lifecycleChecks } from './lifecycle.ts';
import { mcpChecks } from './mcp.ts';
import { nightlyChecks } from './nightly.ts';
import { openOffice } from './office.ts';
import { otherAccount } from './other-account.ts';
import { privilegeChecks } from './privileges.ts';
import { hostToken, pullRequestChecks } from './pull-requests.ts';
import { restoreChecks } from './restore.ts';
import { rotationChecks } from './rotation.ts';
import { sharedArchiveChecks } from './shared-archive.ts';
import { storeDifferenceChecks } from './store-differences.ts';
import { traceChecks } from './traces.ts';
import { upgradeChecks } from './upgrade.ts';
import { webSocketChecks } from './websocket.ts';

const storyNames = [
  ...['lifecycle', 'pull-requests', 'endpoints', 'chat', 'traces', 'websocket', 'mcp', 'brokers'],
  ...['execution', 'privileges', 'upgrade', 'federation', 'other-account', 'shared-archive', 'store'],
  ...['restore', 'rotation', 'nightly', 'guide'],
] as const;
type StoryName = (typeof storyNames)[number];
/** Stories that run only when they are named, because they take long or need `aws` and `jq`. */
const onRequest: readonly StoryName[] = ['restore', 'nightly', 'guide'];

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(storyNames as readonly string[]).includes(name));
if (unknown.length > 0) {
  console.error(`${unknown.join(', ')}: not a story; the stories are ${storyNames.join(', ')}`);
  process.exit(2);
}

const begun = performance.now();
const lap = (what: string) => console.log(`${what} after ${((performance.now() - begun) / 1000).toFixed(1)} s`);

const emulator = await startEmulator();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void emulator.stop().finally(() => process.exit(1)));
lap('emulator up');
try {
  process.exitCode = await prove(emulator);
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
} finally {
  await emulator.stop();
}
// A story that failed halfway may have left a server open.
process.exit(process.exitCode);

async function prove(running: Emulator): Promise<number> {
  const outputs = await deploy(running);
  lap('deployed');
  const keys = await provisionKeys(running, outputs);
  await storeModule(running, outputs, guard);
  const call = gatewayAt(running, outputs.GatewayServices.AdminApiId, keys);
  const callbacks = gatewayAt(running, outputs.GatewayServices.CallbacksApiId, keys);
  const gateway = gatewayAt(running, outputs.GatewayServices.GatewayApiId, keys);
  const mcp = gatewayAt(running, outputs.GatewayServices.McpApiId, keys);
  const office = await openOffice(running);
  const gitHost = await fakePullRequests(hostToken);
  const outside = { office: office.url, gitHost: gitHost.url };
  const configuration = configurationFor(outside);
  const elsewhere = otherAccount(running, outputs, { call, configuration });
  const stories: Readonly<Record<StoryName, readonly Check[]>> = {
    lifecycle: lifecycleChecks(running, outputs, call),
    'pull-requests': pullRequestChecks(running, { call, callbacks, host: gitHost }),
    endpoints: endpointChecks(call),
    chat: chatChecks(gateway, call),
    traces: traceChecks(gateway, call),
    websocket: webSocketChecks(running, outputs, keys, call),
    mcp: mcpChecks(mcp, call, office),
    brokers: brokerChecks(running, mcp, call, office),
    execution: executionChecks(running, outputs, call, office, configurationFor(outside, 'execute')),
    privileges: privilegeChecks(running, outputs),
    upgrade: upgradeChecks(running, outputs, call),
    federation: federationChecks(running, outputs, { call, keys, configuration }),
    'other-account': elsewhere.checks,
    'shared-archive': sharedArchiveChecks(running),
    store: storeDifferenceChecks(running),
    restore: restoreChecks(running, outputs, { call, keys, configuration }),
    rotation: rotationChecks(running, outputs, { call, keys }),
    nightly: await nightlyChecks(running),
    guide: await guideChecks(running, outputs, keys),
  };
  const told = storyNames.filter((name) => (chosen.length === 0 ? !onRequest.includes(name) : chosen.includes(name)));
  const { passed, failed } = await runChecks([
    ...firstConfigurationChecks(call, configuration),
    ...told.flatMap((name) => stories[name]),
  ]).finally(() => Promise.all([office.stop(), gitHost.stop(), elsewhere.stop()]));
  lap('done');
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}
