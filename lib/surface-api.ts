/**
 * A REST API without its routes: addresses and roles contain its id, so it is in the functions' stack. Its routes are
 * in a later stack ([`RestSurface`](./rest-surface.ts)).
 */
import { Stack } from 'aws-cdk-lib';
import { CfnRestApi, type CfnRestApiProps, RestApi, type RestApiBase } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import type { Route } from '#core/contracts/route.ts';
import { servesOwnHost } from './edge-settings.ts';
import { accept } from './findings.ts';
import type { PrivateAdmin } from './private-admin.ts';
import type { GatewaySettings } from './settings.ts';

/** Literal stage name, so that URLs can be built without a reference to the stage. */
export const apiStageName = 'gateway';

/** API ids that functions need. */
export interface ApiIds {
  readonly admin: string;
  readonly gateway: string;
  readonly mcp: string;
  readonly webSocket: string;
}

/** Returns the address that API Gateway assigns to an API. */
export const apiUrl = (scope: Construct, host: string): string => {
  const { region, urlSuffix } = Stack.of(scope);
  return `https://${host}.execute-api.${region}.${urlSuffix}/${apiStageName}`;
};

interface SurfaceApiProps {
  readonly surface: Route['surface'];
  readonly settings: GatewaySettings;
  /** Whether callers sign with IAM credentials, which an authoriser checks before any function runs. */
  readonly iam?: true;
  /** Present if this surface is reachable only through a VPC endpoint. */
  readonly within?: PrivateAdmin | undefined;
}

export class SurfaceApi extends Construct {
  readonly api: RestApiBase;
  /** Properties that take effect when the routes are redeployed. */
  readonly exposure: Omit<CfnRestApiProps, 'name' | 'description'>;

  constructor(scope: Construct, id: string, { surface, settings, within, iam }: SurfaceApiProps) {
    super(scope, id);
    const name = `${settings.name}-${iam ? 'iam' : surface}`;
    this.exposure = {
      endpointConfiguration: { types: ['REGIONAL'] },
      ...within?.exposure,
      ...(!iam && servesOwnHost(settings.edge, surface) && { disableExecuteApiEndpoint: true }),
      // Passes forms with files to the function in base64, because bytes would be lost in text.
      ...(surface === 'gateway' && { binaryMediaTypes: ['multipart/form-data'] }),
    };
    // Deployed stacks identify the resource by this path.
    const resource = new CfnRestApi(new Construct(this, 'Api'), 'Resource', {
      name,
      description: `agent governance gateway: ${iam ? 'callers with IAM credentials' : surface}`,
      ...this.exposure,
    });
    accept(resource, {
      'AwsSolutions-APIG2':
        'The function parses every body with the schema of its contract and answers in the error shape of the contract.',
    });
    this.api = RestApi.fromRestApiAttributes(this, 'Named', {
      restApiId: resource.ref,
      restApiName: name,
      rootResourceId: resource.attrRootResourceId,
    }) as RestApiBase;
  }
}
