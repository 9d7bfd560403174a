/**
 * The deployed gateway, end to end (`npm run test:cloud`): the real `cdk deploy` of the real stacks and bundles onto an
 * emulator of AWS that enforces IAM, then the life of actions, approvals and evidence over HTTP, votes by pull-request comment, chat over HTTP and the
 * WebSocket, MCP with a server behind it and credentials minted for its calls, then what each role may not do. Not shown here, since the emulator leaves it out: response streaming, TTL,
 * recovery, object lock, encryption, logs, metrics and limits of payloads; test/infra asserts those on the templates.
 */

import { runChecks } from '../support/checks.ts';
import { fakePullRequests } from '../support/fake-pull-requests.ts';
import { brokerChecks } from './brokers.ts';
import { gatewayAt, provisionKeys, storeModule } from './caller.ts';
import { chatChecks } from './chat.ts';
import { configurationFor, guard } from './configuration.ts';
import { deploy } from './deployment.ts';
import { type Emulator, startEmulator } from './emulator.ts';
import { endpointChecks } from './endpoints.ts';
import { executionChecks } from './execution.ts';
import { lifecycleChecks } from './lifecycle.ts';
import { mcpChecks } from './mcp.ts';
import { openOffice } from './office.ts';
import { privilegeChecks } from './privileges.ts';
import { hostToken, pullRequestChecks } from './pull-requests.ts';
import { upgradeChecks } from './upgrade.ts';
import { webSocketChecks } from './websocket.ts';

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
  const { passed, failed } = await runChecks([
    ...lifecycleChecks(running, outputs, { call, callbacks, configuration: configurationFor(outside) }),
    ...pullRequestChecks(running, { call, callbacks, host: gitHost }),
    ...endpointChecks(call),
    ...chatChecks(gateway, call),
    ...webSocketChecks(running, outputs, keys, call),
    ...mcpChecks(mcp, call, office),
    ...brokerChecks(running, mcp, call, office),
    ...executionChecks(running, outputs, call, office, configurationFor(outside, 'execute')),
    ...privilegeChecks(running, outputs),
    ...upgradeChecks(running, outputs, call),
  ]).finally(() => Promise.all([office.stop(), gitHost.stop()]));
  lap('done');
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}
