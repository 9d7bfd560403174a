/** Composes the whole gateway: stores, services, edge, monitoring. */
import { type App, type Environment, Tags } from 'aws-cdk-lib';
import { refuseUnknownContext } from './context-keys.ts';
import { GatewayEdge, wantsEdge } from './edge-stack.ts';
import { requireOwnRegion } from './own-region.ts';
import { GatewayServices } from './services-stack.ts';
import { readSettings, stackName } from './settings.ts';
import { GatewayStores } from './stores-stack.ts';
import { GatewayStreaming } from './streaming-stack.ts';
import { GatewayWatch } from './watch-stack.ts';

export function buildGateway(app: App, env: Environment = {}) {
  refuseUnknownContext(app.node);
  const settings = readSettings(app.node);
  requireOwnRegion(settings, env);
  const stack = (part: Parameters<typeof stackName>[1]) => ({ settings, env, stackName: stackName(settings, part) });
  const terminationProtection = settings.protected;
  const stores = new GatewayStores(app, 'GatewayStores', { ...stack('stores'), terminationProtection });
  const services = new GatewayServices(app, 'GatewayServices', { ...stack('services'), stores });
  const { apis, iam, webSocket } = services.watched;
  const edge = wantsEdge(settings)
    ? new GatewayEdge(app, 'GatewayEdge', { ...stack('edge'), apis, iam, webSocketId: webSocket.apiId })
    : undefined;
  const plane = settings.streaming && { streaming: settings.streaming, stores, ...services.shared };
  const streaming = plane && new GatewayStreaming(app, 'GatewayStreaming', { ...stack('streaming'), ...plane });
  const watched = { ...services.watched, ...(streaming && { streaming: streaming.plane }) };
  const watch = new GatewayWatch(app, 'GatewayWatch', { ...stack('monitoring'), watched });
  const tags = { 'gateway:name': settings.name, 'gateway:stage': settings.stage, ...settings.tags };
  for (const [key, value] of Object.entries(tags)) Tags.of(app).add(key, value);
  return { settings, stores, services, watch, edge, streaming };
}
