/**
 * `/v1/ws` on AWS: a WebSocket API that sends every event to one function, `ws`.
 *
 * Its design follows AWS's limits: an integration ends after 29 s, which cannot be raised, so `ws` hands chat calls to
 * `ws-worker` and ends; tokens are returned by `@connections`, in frames of at most 32 KB. A message has at most 128
 * KB. A connection ends after 10 minutes without a message and after 2 hours in any case: clients ping, and reconnect.
 */
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { type CfnStage, LogGroupLogDestination, WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { formatOf, socketAccessLog } from './access-log.ts';
import { executionLogs } from './api-logging.ts';
import { accept } from './findings.ts';
import { apiStageName } from './rest-surface.ts';
import type { GatewaySettings } from './settings.ts';

/** Protects the account; the functions enforce the limits of tenants. Messages per second, all together. */
const throttle = { rateLimit: 1000, burstLimit: 500 };

interface WebSocketSurfaceProps {
  readonly settings: GatewaySettings;
}

/** A WebSocket API whose routes are added once the functions exist, since these need the API's id. */
export class WebSocketSurface extends Construct {
  readonly api: WebSocketApi;
  readonly stage: WebSocketStage;

  constructor(scope: Construct, id: string, { settings }: WebSocketSurfaceProps) {
    super(scope, id);
    const accessLogs = new LogGroup(this, 'AccessLogs', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.api = new WebSocketApi(this, 'Api', {
      apiName: `${settings.name}-websocket`,
      description: 'agent governance gateway: websocket',
    });
    this.stage = new WebSocketStage(this, 'Stage', {
      webSocketApi: this.api,
      stageName: apiStageName,
      autoDeploy: true,
      throttle,
      detailedMetricsEnabled: true,
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLogs),
        format: AccessLogFormat.custom(formatOf(socketAccessLog)),
      },
    });
    executionLogs(this, `/aws/apigateway/${this.api.apiId}/${apiStageName}`, this.stage);
    const stage = this.stage.node.defaultChild as CfnStage;
    stage.addPropertyOverride('DefaultRouteSettings.LoggingLevel', 'ERROR');
    // Messages contain prompts, so they are never logged.
    stage.addPropertyOverride('DefaultRouteSettings.DataTraceEnabled', false);
    accept(this, findings);
  }

  /** Adds the routes. None has its own response: every answer is sent through `@connections`. */
  addRoutes(handler: IFunction, worker: IFunction): void {
    for (const route of ['$connect', '$disconnect', '$default'])
      this.api.addRoute(route, { integration: new WebSocketLambdaIntegration(route.slice(1), handler) });
    // A chat call is never repeated, and after a minute its client no longer waits.
    worker.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
  }
}

/**
 * Returns the address for posts to connections, without naming the stage's resource, which is created after the
 * functions.
 */
export function connectionsUrl(scope: Construct, { emulator }: GatewaySettings, apiId: string): string {
  const { region, urlSuffix } = Stack.of(scope);
  return emulator
    ? `${emulator.endpoint}/_aws/execute-api/${apiId}/${apiStageName}`
    : `https://${apiId}.execute-api.${region}.${urlSuffix}/${apiStageName}`;
}

const findings = {
  'AwsSolutions-APIG4':
    'The function looks the key up by digest, at the handshake or in the first message; a connection without one is closed.',
};
