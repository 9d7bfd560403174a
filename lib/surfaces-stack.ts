/**
 * The entry points of the functions: the APIs' routes and stages, the WebSocket, custom host names. This stack is
 * deployed after the functions, so that every route's function already exists.
 */
import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Route } from '#core/contracts/route.ts';
import { OwnHosts } from './own-hosts.ts';
import { RestSurface } from './rest-surface.ts';
import type { GatewayServices } from './services-stack.ts';
import type { GatewaySettings } from './settings.ts';
import { WebSocketSurface } from './websocket-surface.ts';

interface GatewaySurfacesProps extends StackProps {
  readonly settings: GatewaySettings;
  readonly services: GatewayServices;
}

export class GatewaySurfaces extends Stack {
  constructor(scope: Construct, id: string, props: GatewaySurfacesProps) {
    super(scope, id, props);
    const { settings, services } = props;
    const { edge } = settings;
    const { live: functions, apis } = services;
    const surface = (name: Route['surface']) =>
      new RestSurface(this, `${name[0]!.toUpperCase()}${name.slice(1)}`, {
        surface: name,
        settings,
        made: apis[name],
        functions,
      });
    const [gateway, admin, callbacks, mcp] = [
      surface('gateway'),
      surface('admin'),
      surface('callbacks'),
      surface('mcp'),
    ];
    const webSocket = new WebSocketSurface(this, 'WebSocket', { api: services.webSocket, handler: functions.ws });
    if (edge.domain && !edge.cloudFront)
      new OwnHosts(this, 'OwnHosts', {
        domain: edge.domain,
        surfaces: { gateway, callbacks, mcp, ...(edge.privateAdmin ? {} : { admin }) },
        webSocket: webSocket.stage,
      });
  }
}
