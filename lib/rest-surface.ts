/** One HTTP surface as a regional REST API, built from `core/contracts/routes.ts`. */

import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  AuthorizationType,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  ResponseTransferMode,
  ResponseType,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionSpec } from '#core/contracts/function-spec.ts';
import { type FunctionName, functions as specs } from '#core/contracts/functions.ts';
import { opensToPages, type Route } from '#core/contracts/route.ts';
import { proxyPathOf } from '#core/contracts/routes.ts';
import { formatOf, restAccessLog } from './access-log.ts';
import { executionLogs } from './api-logging.ts';
import { accept } from './findings.ts';
import { gatewayAnswers } from './gateway-answers.ts';
import { servesOwnHost } from './own-hosts.ts';
import type { PrivateAdmin } from './private-admin.ts';
import type { GatewaySettings } from './settings.ts';

/** A literal, so that URLs can be built without the deployment. */
export const apiStageName = 'gateway';

/** Ids of the APIs, for functions. */
export interface ApiIds {
  readonly admin: string;
  readonly gateway: string;
  readonly mcp: string;
  readonly webSocket: string;
}

interface RestSurfaceProps {
  readonly surface: Route['surface'];
  readonly settings: GatewaySettings;
  /** Whether callers sign with IAM credentials, which an authoriser checks before a function runs. */
  readonly iam?: true;
  /** Present if only an endpoint of the VPC may reach this surface. */
  readonly within?: PrivateAdmin | undefined;
}

/**
 * Limits of all callers of a surface together [admin.stage-throttle]. Functions count the requests of a key, per
 * process; these limits bound the functions that unknown callers can start.
 */
const throttles: Readonly<Record<Route['surface'], { throttlingRateLimit: number; throttlingBurstLimit: number }>> = {
  admin: { throttlingRateLimit: 200, throttlingBurstLimit: 400 },
  callbacks: { throttlingRateLimit: 50, throttlingBurstLimit: 100 },
  gateway: { throttlingRateLimit: 1_000, throttlingBurstLimit: 2_000 },
  mcp: { throttlingRateLimit: 1_000, throttlingBurstLimit: 2_000 },
};

/** A REST API whose methods are added once the functions exist, since these need the API's id. */
export class RestSurface extends Construct {
  readonly api: RestApi;
  readonly #settings: GatewaySettings;
  readonly #iam: boolean;

  constructor(scope: Construct, id: string, { surface, settings, within, iam }: RestSurfaceProps) {
    super(scope, id);
    this.#settings = settings;
    this.#iam = iam === true;
    const accessLogs = new LogGroup(this, 'AccessLogs', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.api = new RestApi(this, 'Api', {
      restApiName: `${settings.name}-${iam ? 'iam' : surface}`,
      description: `agent governance gateway: ${iam ? 'callers with IAM credentials' : surface}`,
      endpointConfiguration: { types: [EndpointType.REGIONAL] },
      ...within?.exposure,
      ...(!iam && servesOwnHost(settings.edge, surface) && { disableExecuteApiEndpoint: true }),
      // Passes forms with files to the function in base64; as text, bytes would be lost.
      ...(surface === 'gateway' && { binaryMediaTypes: ['multipart/form-data'] }),
      cloudWatchRole: false,
      deployOptions: {
        stageName: apiStageName,
        accessLogDestination: new LogGroupLogDestination(accessLogs),
        accessLogFormat: AccessLogFormat.custom(formatOf(restAccessLog)),
        loggingLevel: MethodLoggingLevel.ERROR,
        // Bodies contain parameters of actions, so they are never logged.
        dataTraceEnabled: false,
        metricsEnabled: true,
        tracingEnabled: true,
        ...throttles[surface],
      },
    });
    executionLogs(this, `API-Gateway-Execution-Logs_${this.api.restApiId}/${apiStageName}`, this.api.deploymentStage);
    accept(this, findings(settings, within !== undefined));
    for (const { name, ...answer } of gatewayAnswers({ pages: opensToPages(surface), iam: this.#iam }))
      this.api.addGatewayResponse(name, { ...answer, type: ResponseType.of(name) });
  }

  addRoutes(routes: readonly Route[], functions: Readonly<Record<FunctionName, IFunction>>): void {
    const integrations = new Map<FunctionName, LambdaIntegration>();
    const asked = new Set<string>();
    for (const route of routes) {
      const { surface, handledBy } = route;
      const proxy = this.#iam ? undefined : proxyPathOf(route);
      const [method, path] = proxy === undefined ? [route.method, route.path] : ['ANY', proxy];
      if (proxy !== undefined && asked.has(path)) continue;
      const integration =
        integrations.get(handledBy) ??
        // One permission per function instead of two per method: stacks end at 500 resources, function policies at 20 kB.
        new LambdaIntegration(functions[handledBy], {
          scopePermissionToMethod: false,
          ...(streams(handledBy) && !this.#settings.emulator && streamed),
        });
      integrations.set(handledBy, integration);
      const resource = this.api.root.resourceForPath(path);
      resource.addMethod(method, integration, this.#iam ? { authorizationType: AuthorizationType.IAM } : {});
      // Clients probe the address by HEAD, which API Gateway does not treat as GET.
      if (path === '/' && !this.#iam) resource.addMethod('HEAD', integration);
      // Allowed origins are read at run time: the function answers preflights, too.
      if (opensToPages(surface) && !this.#iam && !asked.has(path) && proxy === undefined)
        resource.addMethod('OPTIONS', integration);
      asked.add(path);
    }
  }
}

const streams = (name: FunctionName): boolean => (specs[name] as FunctionSpec).streams === true;

/**
 * Passes the answer on as the function writes it, even if the caller requested no stream: a buffered integration ends
 * after 29 s. It may take 15 minutes, 5 of them silent since the API is regional (an edge-optimised one allows 30 s);
 * the first 10 MB are not throttled. API Gateway does not cache, compress or map a stream.
 */
const streamed = { responseTransferMode: ResponseTransferMode.STREAM, timeout: Duration.minutes(15) };

const findings = ({ edge }: GatewaySettings, within: boolean) => ({
  'AwsSolutions-APIG2':
    'The function parses every body with the schema of its contract and answers in the error shape of the contract.',
  'AwsSolutions-APIG3': within
    ? 'A resource policy takes calls from one VPC endpoint alone, and its security group names who reaches it.'
    : edge.firewall
      ? 'The stack GatewayEdge associates its regional web ACL with this stage; rules see one stack at a time.'
      : 'The operator asked for no web ACL (`-c firewall=on`): the stage is throttled, and functions refuse callers without a key.',
  'AwsSolutions-APIG4':
    'The function looks the key up by digest, so that a revoked one stops within five seconds; /health is open, callbacks are signed.',
  'AwsSolutions-COG4': 'Callers are agents and services with keys of the gateway, not users of a Cognito pool.',
});
