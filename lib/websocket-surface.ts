/**
 * `/v1/ws` on AWS: a WebSocket API that sends every event to one function, `ws`. Its design follows AWS's limits: an
 * integration ends after 29 s, a limit that cannot be raised, so `ws` hands chat calls to `ws-worker` and ends; tokens
 * are returned through `@connections`, in frames of at most 32 KB. Messages are limited to 128 KB. A connection ends
 * after 10 minutes without a message and after 2 hours in any case, so clients ping and reconnect.
 */
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CfnStage,
  type IWebSocketApi,
  LogGroupLogDestination,
  WebSocketApi,
  WebSocketRoute,
  WebSocketStage,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { formatOf, socketAccessLog } from './access-log.ts';
import { executionLogs } from './api-logging.ts';
import { accept } from './findings.ts';
import type { GatewaySettings } from './settings.ts';
import { apiStageName } from './surface-api.ts';

/**
 * Throttle that protects the account, in messages per second across all tenants; the functions enforce the limits of
 * each tenant.
 */
const throttle = { rateLimit: 1000, burstLimit: 500 };

interface WebSocketSurfaceProps {
  /** The API without its routes: addresses and roles contain its id, so it is in the functions' stack. */
  readonly api: IWebSocketApi;
  /** The function that handles every event. */
  readonly handler: IFunction;
}

/** Creates the API without its routes. */
export const webSocketApi = (scope: Construct, { name }: GatewaySettings): WebSocketApi =>
  // Deployed stacks identify the resource by this path.
  new WebSocketApi(new Construct(scope, 'WebSocket'), 'Api', {
    apiName: `${name}-websocket`,
    description: 'agent governance gateway: websocket',
  });

/** The routes and the stage. Routes do not have responses of their own; every reply is sent through `@connections`. */
export class WebSocketSurface extends Construct {
  readonly stage: WebSocketStage;

  constructor(scope: Construct, id: string, { api, handler }: WebSocketSurfaceProps) {
    super(scope, id);
    const webSocketApi = WebSocketApi.fromWebSocketApiAttributes(this, 'Api', { webSocketId: api.apiId });
    const accessLogs = new LogGroup(this, 'AccessLogs', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    for (const routeKey of ['$connect', '$disconnect', '$default'])
      new WebSocketRoute(this, routeKey.slice(1), {
        webSocketApi,
        routeKey,
        integration: new WebSocketLambdaIntegration(routeKey.slice(1), handler),
      });
    this.stage = new WebSocketStage(this, 'Stage', {
      webSocketApi,
      stageName: apiStageName,
      autoDeploy: true,
      throttle,
      detailedMetricsEnabled: true,
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLogs),
        format: AccessLogFormat.custom(formatOf(socketAccessLog)),
      },
    });
    executionLogs(this, `/aws/apigateway/${api.apiId}/${apiStageName}`, this.stage);
    const stage = this.stage.node.defaultChild as CfnStage;
    stage.addPropertyOverride('DefaultRouteSettings.LoggingLevel', 'ERROR');
    // Messages contain prompts, so they are never logged.
    stage.addPropertyOverride('DefaultRouteSettings.DataTraceEnabled', false);
    accept(this, findings);
  }
}

/** Returns the address that clients use. */
export const webSocketUrl = (scope: Construct, { edge: { domain, cloudFront } }: GatewaySettings, apiId: string) => {
  const { region, urlSuffix } = Stack.of(scope);
  if (!domain) return `wss://${apiId}.execute-api.${region}.${urlSuffix}/${apiStageName}`;
  // CloudFront serves the WebSocket on the gateway's host.
  return cloudFront ? `wss://${domain.hosts.gateway}/v1/ws` : `wss://${domain.hosts.webSocket}`;
};

/**
 * Returns the address for posting to connections, without a reference to the stage, which is created after the
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
