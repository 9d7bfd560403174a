/** The services: functions and their roles, the APIs without their routes, the clocks, the projection. */
import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import type { WebSocketApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { FunctionName } from '#core/contracts/functions.ts';
import type { Route } from '#core/contracts/route.ts';
import { functions } from '#features/functions.ts';
import type { WatchedResources } from './alarms/alarm.ts';
import { ApiLogging } from './api-logging.ts';
import { Clocks } from './clocks.ts';
import { DeadLetters } from './dead-letters.ts';
import { ownUrl } from './edge-settings.ts';
import { functionEnvironment } from './environment.ts';
import { GatewayFunction } from './gateway-function.ts';
import { Notifications } from './notifications.ts';
import { PrivateAdmin } from './private-admin.ts';
import { Projection } from './projection.ts';
import { SandboxNetwork } from './sandbox-network.ts';
import { Schedules } from './schedules.ts';
import type { GatewaySettings } from './settings.ts';
import { StagedRelease } from './staged-release.ts';
import { Stores } from './stores.ts';
import { type ApiIds, apiUrl, SurfaceApi } from './surface-api.ts';
import { webSocketApi, webSocketUrl } from './websocket-surface.ts';

interface GatewayServicesProps extends StackProps {
  readonly settings: GatewaySettings;
}

const names = Object.keys(functions) as FunctionName[];

const optionalFunctions = (settings: GatewaySettings): FunctionName[] =>
  names.filter((name) => {
    const { optional } = functions[name];
    return optional !== undefined && settings[optional];
  });

export class GatewayServices extends Stack {
  readonly watched: Omit<WatchedResources, 'apis' | 'iam' | 'rolloutMachine'>;
  readonly apis: Readonly<Record<Route['surface'], SurfaceApi>>;
  /** The API for callers with IAM credentials, if any. */
  readonly iam?: SurfaceApi;
  readonly webSocket: WebSocketApi;
  /** The functions' live versions. */
  readonly live: Readonly<Record<FunctionName, IFunction>>;
  /** The variables that every function has, and the APIs whose ids they may contain. */
  readonly shared: { readonly environment: Readonly<Record<string, string>>; readonly apis: ApiIds };

  constructor(scope: Construct, id: string, props: GatewayServicesProps) {
    super(scope, id, props);
    const { settings } = props;
    const stores = new Stores(this, 'Stores', { settings });
    new ApiLogging(this, 'ApiLogging');
    const gateway = new SurfaceApi(this, 'Gateway', { surface: 'gateway', settings });
    const webSocket = webSocketApi(this, settings);
    const within = settings.edge.privateAdmin
      ? new PrivateAdmin(this, 'PrivateAdmin', { network: settings.network!, cidrs: settings.edge.adminCidrs })
      : undefined;
    const admin = new SurfaceApi(this, 'Admin', { surface: 'admin', settings, within });
    const callbacks = new SurfaceApi(this, 'Callbacks', { surface: 'callbacks', settings });
    const mcp = new SurfaceApi(this, 'Mcp', { surface: 'mcp', settings });
    this.apis = { gateway, admin, callbacks, mcp };
    if (settings.iamCallers) this.iam = new SurfaceApi(this, 'Iam', { surface: 'gateway', settings, iam: true });
    this.webSocket = webSocket;
    const deadLetters = new DeadLetters(this, 'DeadLetters', { settings }).queue;

    const apis = {
      admin: admin.api.restApiId,
      gateway: gateway.api.restApiId,
      mcp: mcp.api.restApiId,
      webSocket: webSocket.apiId,
    };
    const nowhere = settings.emulator ? undefined : new SandboxNetwork(this, 'SandboxNetwork');
    const environment = functionEnvironment(this, settings, stores, apis, within?.endpointId);
    this.shared = { environment, apis };
    const made = this.#functions(
      (name) => new GatewayFunction(this, name, { name, settings, stores, environment, apis, nowhere }),
    );
    const aliases = this.#functions((name) => made[name].live);
    const live = aliases as Record<FunctionName, IFunction>;
    this.live = live;
    // A chat call is never retried, and after a minute its client is no longer waiting.
    live['ws-worker'].configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    // Resources in deployed stacks have names that contain this id.
    const { approvals: stateMachine } = new Clocks(this, 'Approvals', {
      settings,
      steps: live['approval-steps'],
      sweep: live.sweep,
    });
    new Schedules(this, 'Schedules', {
      functions: live,
      optional: optionalFunctions(settings),
      enabled: settings.restoring === undefined,
      deadLetters,
    });
    new Notifications(this, 'Notifications', {
      deliveries: stores.tables.deliveries,
      notifier: live.notify,
      deadLetters,
    });
    new Projection(this, 'Projection', {
      source: stores.tables.evidence,
      queue: stores.tables.observations,
      projector: live.project,
      deadLetters,
    });
    if (settings.stagedReleases) new StagedRelease(this, 'Releases', { settings, aliases });

    this.watched = {
      functions: this.#functions((name) => made[name].function),
      webSocket,
      stateMachine,
      deadLetters,
    };
    this.#outputs({ GatewayUrl: environment.GATEWAY_URL!, GatewayApiId: apis.gateway });
    this.#outputs({ McpUrl: environment.MCP_URL!, McpApiId: apis.mcp });
    this.#outputs({ WebSocketUrl: webSocketUrl(this, settings, apis.webSocket), WebSocketApiId: apis.webSocket });
    this.#outputs({ AdminUrl: environment.ADMIN_URL!, AdminApiId: apis.admin });
    this.#outputs({
      CallbacksUrl: ownUrl(settings.edge, 'callbacks') ?? apiUrl(this, callbacks.api.restApiId),
      CallbacksApiId: callbacks.api.restApiId,
    });
    const iam = this.iam?.api.restApiId;
    if (iam) this.#outputs({ IamUrl: apiUrl(this, iam), IamApiId: iam });
    this.#outputs({ ApprovalStateMachineArn: stateMachine.stateMachineArn });
  }

  #functions<T>(make: (name: FunctionName) => T): Record<FunctionName, T> {
    return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<FunctionName, T>;
  }

  #outputs(values: Record<string, string>): void {
    for (const [name, value] of Object.entries(values)) new CfnOutput(this, name, { value });
  }
}
