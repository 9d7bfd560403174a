/** The services: functions and their roles, four HTTP surfaces, the WebSocket, the clocks, the projection. */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type FunctionName, functions } from '#core/contracts/functions.ts';
import type { Route } from '#core/contracts/route.ts';
import { routes } from '#core/contracts/routes.ts';
import type { Watched } from './alarms/alarm.ts';
import { ApiLogging } from './api-logging.ts';
import { Clocks } from './clocks.ts';
import { DeadLetters } from './dead-letters.ts';
import { ownUrl } from './edge-settings.ts';
import { functionEnvironment } from './environment.ts';
import { GatewayFunction } from './gateway-function.ts';
import { iamRoutes } from './iam-routes.ts';
import { Notifications } from './notifications.ts';
import { OwnHosts } from './own-hosts.ts';
import { PrivateAdmin } from './private-admin.ts';
import { Projection } from './projection.ts';
import { type ApiIds, RestSurface } from './rest-surface.ts';
import { SandboxNetwork } from './sandbox-network.ts';
import { Schedules } from './schedules.ts';
import type { GatewaySettings } from './settings.ts';
import { StagedRelease } from './staged-release.ts';
import type { GatewayStores } from './stores-stack.ts';
import { VpcEndpoints } from './vpc-endpoints.ts';
import { WebSocketSurface } from './websocket-surface.ts';

interface GatewayServicesProps extends StackProps {
  readonly settings: GatewaySettings;
  readonly stores: GatewayStores;
}

const names = Object.keys(functions) as FunctionName[];

const optionalFunctions = ({ canary, dataPlane }: GatewaySettings): FunctionName[] => [
  ...(canary ? (['canary'] as const) : []),
  ...(dataPlane ? (['federation-poll'] as const) : []),
];

export class GatewayServices extends Stack {
  readonly watched: Watched;
  /** The variables of every function, and the APIs whose ids they may contain. */
  readonly shared: { readonly environment: Readonly<Record<string, string>>; readonly apis: ApiIds };

  constructor(scope: Construct, id: string, props: GatewayServicesProps) {
    super(scope, id, props);
    const { settings, stores } = props;
    const logging = new ApiLogging(this, 'ApiLogging');
    const gateway = new RestSurface(this, 'Gateway', { surface: 'gateway', settings });
    const webSocket = new WebSocketSurface(this, 'WebSocket', { settings });
    const within = settings.edge.privateAdmin
      ? new PrivateAdmin(this, 'PrivateAdmin', { network: settings.network!, cidrs: settings.edge.adminCidrs })
      : undefined;
    const admin = new RestSurface(this, 'Admin', { surface: 'admin', settings, within });
    const callbacks = new RestSurface(this, 'Callbacks', { surface: 'callbacks', settings });
    const mcp = new RestSurface(this, 'Mcp', { surface: 'mcp', settings });
    const deadLetters = new DeadLetters(this, 'DeadLetters', { settings }).queue;

    const apis = {
      admin: admin.api.restApiId,
      gateway: gateway.api.restApiId,
      mcp: mcp.api.restApiId,
      webSocket: webSocket.api.apiId,
    };
    const nowhere = settings.emulator ? undefined : new SandboxNetwork(this, 'SandboxNetwork');
    const environment = functionEnvironment(this, settings, stores, apis, within?.endpointId);
    this.shared = { environment, apis };
    const made = this.#functions(
      (name) => new GatewayFunction(this, name, { name, settings, stores, environment, apis, nowhere }),
    );
    const aliases = this.#functions((name) => made[name].live);
    const live = aliases as Record<FunctionName, IFunction>;

    const surfaces: Readonly<Record<Route['surface'], RestSurface>> = { gateway, admin, callbacks, mcp };
    for (const [name, surface] of Object.entries(surfaces)) {
      surface.api.deploymentStage.node.addDependency(logging);
      surface.addRoutes(
        routes.filter((route) => route.surface === name),
        live,
      );
    }
    const iam = settings.iamCallers
      ? new RestSurface(this, 'Iam', { surface: 'gateway', settings, iam: true })
      : undefined;
    if (iam) {
      iam.api.deploymentStage.node.addDependency(logging);
      iam.addRoutes(iamRoutes(routes), live);
      this.#outputs({ IamUrl: iam.api.url, IamApiId: iam.api.restApiId });
    }
    webSocket.stage.node.addDependency(logging);
    webSocket.addRoutes(live.ws, live['ws-worker']);
    // The id names resources of deployed stacks.
    const { approvals: stateMachine } = new Clocks(this, 'Approvals', {
      settings,
      steps: live['approval-steps'],
      sweep: live.sweep,
    });
    new Schedules(this, 'Schedules', { functions: live, optional: optionalFunctions(settings), deadLetters });
    new Notifications(this, 'Notifications', {
      deliveries: stores.tables.deliveries,
      notifier: live.notify,
      deadLetters,
    });
    new Projection(this, 'Projection', { source: stores.tables.evidence, projector: live.project, deadLetters });
    if (settings.stagedReleases) new StagedRelease(this, 'Releases', { settings, aliases });

    this.#supportingResources(settings, { gateway, callbacks, mcp, ...(within ? {} : { admin }) }, webSocket);

    this.watched = {
      functions: this.#functions((name) => made[name].function),
      apis: { gateway: gateway.api, mcp: mcp.api, admin: admin.api, callbacks: callbacks.api },
      ...(iam && { iam: iam.api }),
      webSocket: webSocket.api,
      stateMachine,
      deadLetters,
    };
    this.#outputs({ GatewayUrl: environment.GATEWAY_URL!, GatewayApiId: gateway.api.restApiId });
    this.#outputs({ McpUrl: environment.MCP_URL!, McpApiId: mcp.api.restApiId });
    this.#outputs({ WebSocketUrl: webSocketUrl(settings) ?? webSocket.stage.url, WebSocketApiId: webSocket.api.apiId });
    this.#outputs({ AdminUrl: environment.ADMIN_URL!, AdminApiId: admin.api.restApiId });
    this.#outputs({
      CallbacksUrl: ownUrl(settings.edge, 'callbacks') ?? callbacks.api.url,
      CallbacksApiId: callbacks.api.restApiId,
    });
    this.#outputs({ ApprovalStateMachineArn: stateMachine.stateMachineArn });
  }

  /** Creates API Gateway's host names and endpoints of the VPC, if the operator enabled them. */
  #supportingResources(
    { edge, network }: GatewaySettings,
    surfaces: Readonly<Partial<Record<Route['surface'], RestSurface>>>,
    webSocket: WebSocketSurface,
  ): void {
    const apis = Object.fromEntries(Object.entries(surfaces).map(([name, { api }]) => [name, api]));
    if (edge.domain && !edge.cloudFront)
      new OwnHosts(this, 'OwnHosts', { domain: edge.domain, apis, webSocket: webSocket.stage });
    if (network?.endpoints) new VpcEndpoints(this, 'VpcEndpoints', { network, ...network.endpoints });
  }

  #functions<T>(make: (name: FunctionName) => T): Record<FunctionName, T> {
    return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<FunctionName, T>;
  }

  #outputs(values: Record<string, string>): void {
    for (const [name, value] of Object.entries(values)) new CfnOutput(this, name, { value });
  }
}

/** Returns the WebSocket's URL: on the gateway's host with CloudFront, otherwise on its own host. */
const webSocketUrl = ({ edge: { domain, cloudFront } }: GatewaySettings): string | undefined =>
  domain && (cloudFront ? `wss://${domain.hosts.gateway}/v1/ws` : `wss://${domain.hosts.webSocket}`);
