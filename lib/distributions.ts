/**
 * CloudFront before the APIs [cloud.edge]: HTTP/3, TLS 1.3, one distribution for each host. Nothing is cached, nothing is
 * compressed, every header but `Host` goes on, and a stream flows as it is written.
 */
import { Duration, Stack } from 'aws-cdk-lib';
import { Certificate, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, type HttpOriginProps } from 'aws-cdk-lib/aws-cloudfront-origins';
import { CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import { edgeHeaders } from '#core/contracts/edge.ts';
import type { Route } from '#core/contracts/routes.ts';
import { AliasRecords } from './alias-records.ts';
import type { CloudFrontSettings, DomainSettings } from './edge-settings.ts';
import { accept } from './findings.ts';
import { apiStageName } from './rest-surface.ts';

export interface DistributionsProps {
  /** Name of the deployment. */
  readonly name: string;
  readonly domain: DomainSettings;
  readonly cloudFront: CloudFrontSettings;
  /** What proves to the REST APIs that CloudFront calls; the WebSocket API could not ask for it. */
  readonly originValue: string;
  /** Ids of the REST APIs that callers reach, by surface. */
  readonly apis: Readonly<Partial<Record<Route['surface'], string>>>;
  readonly webSocketId: string;
}

/**
 * CloudFront replaces what the caller sent under these names. The WebSocket API knows no path: it is found at its stage.
 * @param uri what the origin is asked for in place of the caller's path.
 */
export const edgeFunctionCode = (uri?: string): string => `function handler(event) {
  var request = event.request;
  request.headers['${edgeHeaders.host}'] = { value: request.headers.host.value };
  request.headers['${edgeHeaders.client}'] = { value: event.viewer.ip };
${uri === undefined ? '' : `  request.uri = '${uri}';\n`}  return request;
}
`;

export class Distributions extends Construct {
  constructor(scope: Construct, id: string, props: DistributionsProps) {
    super(scope, id);
    const { name, domain, cloudFront, apis, webSocketId } = props;
    const certificate = Certificate.fromCertificateArn(this, 'Certificate', cloudFront.certificate);
    const forRest = this.function('Rest');
    const forWebSocket = this.function('WebSocket', `/${apiStageName}`);
    for (const [surface, apiId] of Object.entries(apis) as [Route['surface'], string][]) {
      const distribution = new Distribution(this, surface, {
        comment: `${name}: ${surface}`,
        ...served(surface, domain.hosts[surface], certificate),
        ...(cloudFront.webAcl && { webAclId: cloudFront.webAcl }),
        defaultBehavior: this.behavior(props, apiId, forRest, {
          originPath: `/${apiStageName}`,
          customHeaders: { [edgeHeaders.origin]: props.originValue },
        }),
        ...(surface === 'gateway' && {
          additionalBehaviors: { '/v1/ws': this.behavior(props, webSocketId, forWebSocket, {}) },
        }),
      });
      new AliasRecords(this, `${surface}Records`, {
        hostedZoneId: domain.hostedZoneId,
        host: domain.hosts[surface],
        target: () => ({
          dnsName: distribution.distributionDomainName,
          hostedZoneId: CloudFrontTarget.getHostedZoneId(this),
        }),
        types: ['A', 'AAAA'],
      });
      accept(distribution, findings(cloudFront));
    }
  }

  /** Names of such functions are global to the account: the CDK's own carries the region. */
  private function(id: string, uri?: string): EdgeFunction {
    return new EdgeFunction(this, id, {
      comment: 'Tells the APIs the address and the host of the caller',
      code: FunctionCode.fromInline(edgeFunctionCode(uri)),
      runtime: FunctionRuntime.JS_2_0,
    });
  }

  private behavior(
    { cloudFront: { readTimeoutSeconds } }: DistributionsProps,
    apiId: string,
    edgeFunction: EdgeFunction,
    further: Pick<HttpOriginProps, 'originPath' | 'customHeaders'>,
  ): BehaviorOptions {
    const { region, urlSuffix } = Stack.of(this);
    return {
      origin: new HttpOrigin(`${apiId}.execute-api.${region}.${urlSuffix}`, {
        ...further,
        protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
        originSslProtocols: [OriginSslPolicy.TLS_V1_2],
        readTimeout: Duration.seconds(readTimeoutSeconds),
        keepaliveTimeout: Duration.seconds(60),
      }),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      compress: false,
      functionAssociations: [{ function: edgeFunction, eventType: FunctionEventType.VIEWER_REQUEST }],
    };
  }
}

/** CloudFront keeps these answers for ten seconds, for all requests of the same path, unless a policy forbids it. */
const keptErrors = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/** Chat and Git hosts call back with the TLS that they have; all other clients speak 1.3. */
const served = (surface: Route['surface'], host: string, certificate: ICertificate) => ({
  domainNames: [host],
  certificate,
  httpVersion: HttpVersion.HTTP2_AND_3,
  errorResponses: keptErrors.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
  minimumProtocolVersion:
    surface === 'callbacks' ? SecurityPolicyProtocol.TLS_V1_2_2025 : SecurityPolicyProtocol.TLS_V1_3_2025,
});

const findings = ({ webAcl }: CloudFrontSettings): Record<string, string> => ({
  'AwsSolutions-CFR1': 'Callers hold keys; from which countries they may call is a rule that an operator adds.',
  ...(!webAcl && {
    'AwsSolutions-CFR2':
      'The web ACL of this stack stands at the REST APIs, where it also judges calls that go round CloudFront.',
  }),
  'AwsSolutions-CFR3':
    'CloudFront answers nothing from a cache, so the access logs of the APIs hold every request that it passes on.',
});
