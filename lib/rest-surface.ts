/** One HTTP surface as a regional REST API, built from `core/contracts/routes.ts`. */
import {
  AccessLogFormat,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  ResponseType,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionName } from '#core/contracts/functions.ts';
import type { Route } from '#core/contracts/routes.ts';
import { accept } from './findings.ts';
import { gatewayAnswers } from './gateway-answers.ts';
import type { GatewaySettings } from './settings.ts';

/** Literal, so that URLs can be built without the deployment. */
export const apiStageName = 'gateway';

export interface RestSurfaceProps {
  readonly surface: Route['surface'];
  readonly settings: GatewaySettings;
}

/** Methods are added once the functions exist, since these are told the API's id. */
export class RestSurface extends Construct {
  readonly api: RestApi;

  constructor(scope: Construct, id: string, { surface, settings }: RestSurfaceProps) {
    super(scope, id);
    const accessLogs = new LogGroup(this, 'AccessLogs', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: settings.removalPolicy,
    });
    this.api = new RestApi(this, 'Api', {
      restApiName: `${settings.name}-${surface}`,
      description: `agent governance gateway: ${surface}`,
      endpointConfiguration: { types: [EndpointType.REGIONAL] },
      cloudWatchRole: false,
      deployOptions: {
        stageName: apiStageName,
        accessLogDestination: new LogGroupLogDestination(accessLogs),
        accessLogFormat: AccessLogFormat.jsonWithStandardFields(),
        loggingLevel: MethodLoggingLevel.ERROR,
        // Bodies hold parameters of actions: they are never logged.
        dataTraceEnabled: false,
        metricsEnabled: true,
        tracingEnabled: true,
      },
    });
    accept(this, findings);
    for (const { name, ...answer } of gatewayAnswers)
      this.api.addGatewayResponse(name, { ...answer, type: ResponseType.of(name) });
  }

  addRoutes(routes: readonly Route[], functions: Readonly<Record<FunctionName, IFunction>>): void {
    const integrations = new Map<FunctionName, LambdaIntegration>();
    for (const { method, path, handledBy } of routes) {
      const integration =
        integrations.get(handledBy) ??
        // One permission per function instead of two per method: stacks end at 500 resources, function policies at 20 kB.
        new LambdaIntegration(functions[handledBy], { scopePermissionToMethod: false });
      integrations.set(handledBy, integration);
      this.api.root.resourceForPath(path).addMethod(method, integration);
    }
  }
}

const findings = {
  'AwsSolutions-APIG2':
    'The function parses every body with the schema of its contract and answers in the error shape of the contract.',
  'AwsSolutions-APIG3': 'The web ACL belongs to the edge, which stands before this API in a stack of its own.',
  'AwsSolutions-APIG4':
    'The function looks the key up by digest, so that a revoked one stops within five seconds; /health is open, callbacks are signed.',
  'AwsSolutions-COG4': 'Callers are agents and services with keys of the gateway, not users of a Cognito pool.',
};
