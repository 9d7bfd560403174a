/** Composes the whole gateway: stores, services, surfaces, edge, monitoring. */
import { type App, type Environment, Tags } from 'aws-cdk-lib';
import { functions as specs } from '#features/functions.ts';
import { addedStacks, refuseUnknownContext } from './context-keys.ts';
import { GatewayEdge, wantsEdge } from './edge-stack.ts';
import { GatewayEndpoints } from './endpoints-stack.ts';
import { GatewayIam } from './iam-stack.ts';
import { refuseConflicts } from './option-conflicts.ts';
import { requireOwnRegion } from './own-region.ts';
import { GatewayServices } from './services-stack.ts';
import { readSettings, stackName } from './settings.ts';
import { GatewayStores } from './stores-stack.ts';
import { GatewaySurfaces } from './surfaces-stack.ts';
import { GatewayWatch } from './watch-stack.ts';

export function buildGateway(app: App, env: Environment = {}) {
  refuseUnknownContext(app.node);
  const settings = readSettings(app.node);
  const planned = addedStacks.flatMap((stack) => stack.planned(app.node, settings) ?? []);
  refuseConflicts(app.node, settings);
  requireOwnRegion(settings, Object.assign({}, ...planned.map(({ regional }) => regional)), env);
  const stack = (part: string) => ({ settings, env, stackName: stackName(settings, part) });
  const terminationProtection = settings.protected;
  const { network } = settings;
  const stores = new GatewayStores(app, 'GatewayStores', { ...stack('stores'), terminationProtection });
  const services = new GatewayServices(app, 'GatewayServices', stack('services'));
  services.addStackDependency(stores, 'Its outputs are read by name.');
  const endpoints =
    network?.endpoints &&
    new GatewayEndpoints(app, 'GatewayEndpoints', { ...stack('endpoints'), network, ...network.endpoints });
  const { live: functions, webSocket } = services;
  const surfaces = new GatewaySurfaces(app, 'GatewaySurfaces', { ...stack('surfaces'), services });
  surfaces.addStackDependency(services, 'Routes lead to functions.');
  const made = services.iam;
  const iam = made && new GatewayIam(app, 'GatewayIam', { ...stack('iam'), made, functions });
  iam?.addStackDependency(services, 'Routes lead to functions.');
  const apis = {
    gateway: services.apis.gateway.api,
    mcp: services.apis.mcp.api,
    admin: services.apis.admin.api,
    callbacks: services.apis.callbacks.api,
  };
  const edge = wantsEdge(settings)
    ? new GatewayEdge(app, 'GatewayEdge', { ...stack('edge'), apis, iam: made?.api, webSocketId: webSocket.apiId })
    : undefined;
  edge?.addStackDependency(surfaces, 'Web ACLs protect stages.');
  if (iam) edge?.addStackDependency(iam, 'Web ACLs protect stages.');
  const built = planned.map(
    ({ part, build }) => [part, build(app, { ...stack(part), ...services.shared, specs })] as const,
  );
  const watched = { ...services.watched, apis, ...(made && { iam: made.api }) };
  const added = built.flatMap(([, { alarms }]) => alarms);
  const watch = new GatewayWatch(app, 'GatewayWatch', { ...stack('monitoring'), watched, added });
  const tags = { 'gateway:name': settings.name, 'gateway:stage': settings.stage, ...settings.tags };
  for (const [key, value] of Object.entries(tags)) Tags.of(app).add(key, value);
  return { settings, stores, endpoints, services, surfaces, iam, watch, edge, ...Object.fromEntries(built) };
}
