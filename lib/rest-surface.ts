/** One HTTP surface's routes as a regional REST API, built from its endpoints. */

import { Duration, Lazy, RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  AuthorizationType,
  CfnGatewayResponse,
  CfnMethod,
  CfnResource,
  Deployment,
  GatewayResponse,
  type IRestApi,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  ResponseTransferMode,
  ResponseType,
  RestApi,
  Stage,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct, type IConstruct } from 'constructs';
import type { FunctionSpec } from '#core/contracts/function-spec.ts';
import type { FunctionName } from '#core/contracts/functions.ts';
import { opensToPages, type Route } from '#core/contracts/route.ts';
import { proxyPathOf } from '#core/contracts/routes.ts';
import { functions as specs } from '#features/functions.ts';
import { routes as allRoutes } from '#features/routes.ts';
import { formatOf, restAccessLog } from './access-log.ts';
import { executionLogs } from './api-logging.ts';
import { actionMethods, throttleOf } from './capacity.ts';
import { accept } from './findings.ts';
import { gatewayAnswers } from './gateway-answers.ts';
import { iamRoutes } from './iam-routes.ts';
import type { GatewaySettings } from './settings.ts';
import { apiStageName, type SurfaceApi } from './surface-api.ts';

interface RestSurfaceProps {
  readonly surface: Route['surface'];
  readonly settings: GatewaySettings;
  /** The API, without its routes. */
  readonly made: SurfaceApi;
  /** Whether callers sign with IAM credentials, which an authoriser checks before any function runs. */
  readonly iam?: true;
  /** The live versions of the functions that handle requests. */
  readonly functions: Readonly<Record<FunctionName, IFunction>>;
}

/** Settings for every method. Bodies contain action parameters, so they are never logged. */
const method = { loggingLevel: MethodLoggingLevel.ERROR, dataTraceEnabled: false, metricsEnabled: true };

/** A REST API's routes, responses and stage. */
export class RestSurface extends Construct {
  readonly api: IRestApi;
  readonly stage: Stage;
  readonly #settings: GatewaySettings;
  readonly #iam: boolean;

  constructor(scope: Construct, id: string, { surface, settings, made, iam, functions }: RestSurfaceProps) {
    super(scope, id);
    this.#settings = settings;
    this.#iam = iam === true;
    this.api = RestApi.fromRestApiAttributes(this, 'Api', {
      restApiId: made.api.restApiId,
      rootResourceId: made.api.restApiRootResourceId,
    });
    const routes = iam ? iamRoutes(allRoutes) : allRoutes.filter((route) => route.surface === surface);
    this.#addRoutes(routes, functions);
    for (const { name, ...answer } of gatewayAnswers({ pages: opensToPages(surface), iam: this.#iam }))
      new GatewayResponse(this, name, { restApi: this.api, ...answer, type: ResponseType.of(name) });
    const accessLogs = new LogGroup(this, 'AccessLogs', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.stage = new Stage(this, 'Stage', {
      deployment: this.#deployment(made),
      stageName: apiStageName,
      accessLogDestination: new LogGroupLogDestination(accessLogs),
      accessLogFormat: AccessLogFormat.custom(formatOf(restAccessLog)),
      tracingEnabled: true,
      ...method,
      ...throttleOf(settings, surface),
      methodOptions: Object.fromEntries(
        actionMethods(routes).map((name) => [name, { ...method, ...throttleOf(settings, 'actions') }]),
      ),
    });
    executionLogs(this, `API-Gateway-Execution-Logs_${this.api.restApiId}/${apiStageName}`, this.stage);
    accept(this, findings(settings, surface === 'admin' && settings.edge.privateAdmin));
  }

  /** Creates a new deployment for each change to the API, because API Gateway never updates a deployment. */
  #deployment(made: SurfaceApi): Deployment {
    const deployment = new Deployment(this, 'Deployment', { api: this.api });
    deployment.addToLogicalId(made.exposure);
    for (const part of this.node.findAll().filter((each) => isDeployed(each))) {
      deployment.node.addDependency(part);
      deployment.addToLogicalId(templateOf(part));
    }
    return deployment;
  }

  #addRoutes(routes: readonly Route[], functions: Readonly<Record<FunctionName, IFunction>>): void {
    const integrations = new Map<FunctionName, LambdaIntegration>();
    const asked = new Set<string>();
    for (const route of routes) {
      const { surface, handledBy } = route;
      const proxy = this.#iam ? undefined : proxyPathOf(route);
      const [method, path] = proxy === undefined ? [route.method, route.path] : ['ANY', proxy];
      if (proxy !== undefined && asked.has(path)) continue;
      const integration =
        integrations.get(handledBy) ??
        // One permission per function instead of two per method, because stacks are limited to 500 resources and
        // function policies to 20 kB.
        new LambdaIntegration(functions[handledBy], {
          scopePermissionToMethod: false,
          ...(streams(handledBy) && !this.#settings.emulator && streamOptions),
        });
      integrations.set(handledBy, integration);
      const resource = this.api.root.resourceForPath(path);
      resource.addMethod(method, integration, this.#iam ? { authorizationType: AuthorizationType.IAM } : {});
      // Clients probe the address with HEAD, which API Gateway does not treat as GET.
      if (path === '/' && !this.#iam) resource.addMethod('HEAD', integration);
      // Allowed origins are read at run time, so the function also answers preflights.
      if (opensToPages(surface) && !this.#iam && !asked.has(path) && proxy === undefined)
        resource.addMethod('OPTIONS', integration);
      asked.add(path);
    }
  }
}

type DeployedResource = CfnMethod | CfnResource | CfnGatewayResponse;

const isDeployed = (part: IConstruct): part is DeployedResource =>
  part instanceof CfnMethod || part instanceof CfnResource || part instanceof CfnGatewayResponse;

/** Returns the part as it appears in the template. The CDK does the same for an API that it deploys itself. */
const templateOf = (part: DeployedResource): unknown =>
  Lazy.any({ produce: () => (part as unknown as { _toCloudFormation(): unknown })._toCloudFormation() });

const streams = (name: FunctionName): boolean => (specs[name] as FunctionSpec).streams === true;

/**
 * Forwards the response as the function writes it, even if the caller did not request a stream, because a buffered
 * integration ends after 29 s. A response may take 15 minutes, and may be silent for 5 of them because the API is
 * regional (an edge-optimised API allows 30 s); the first 10 MB are not throttled. API Gateway does not cache, compress
 * or map a stream.
 */
const streamOptions = { responseTransferMode: ResponseTransferMode.STREAM, timeout: Duration.minutes(15) };

const findings = ({ edge }: GatewaySettings, within: boolean) => ({
  'AwsSolutions-APIG3': within
    ? 'A resource policy accepts calls only from one VPC endpoint, whose security group limits who can reach it.'
    : edge.firewall
      ? 'The stack GatewayEdge associates its regional web ACL with this stage; rules see one stack at a time.'
      : 'The operator asked for no web ACL (`-c firewall=on`): the stage is throttled, and functions refuse callers without a key.',
  'AwsSolutions-APIG4':
    'The function looks the key up by digest, so that a revoked one stops within five seconds; /health is open, callbacks are signed.',
  'AwsSolutions-COG4': 'Callers are agents and services with keys of the gateway, not users of a Cognito pool.',
});
