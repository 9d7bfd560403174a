/** The whole gateway: what is kept, what is met, what is watched. */
import type { App, Environment } from 'aws-cdk-lib';
import { GatewayDoors } from './doors-stack.ts';
import { readSettings } from './settings.ts';
import { GatewayStores } from './stores-stack.ts';
import { GatewayWatch } from './watch-stack.ts';

export function buildGateway(app: App, env: Environment = {}) {
  const settings = readSettings(app.node);
  const terminationProtection = settings.guarded;
  const stores = new GatewayStores(app, 'GatewayStores', { settings, env, terminationProtection });
  const doors = new GatewayDoors(app, 'GatewayDoors', { settings, env, stores });
  const watch = new GatewayWatch(app, 'GatewayWatch', { settings, env, watched: doors.watched });
  return { settings, stores, doors, watch };
}
