/**
 * CloudFront in front of the APIs [cloud.edge], with HTTP/3 and TLS 1.3: one distribution per host, one that serves all
 * of them by path, and the console together with the admin API.
 */
import { Duration } from 'aws-cdk-lib';
import { Certificate, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  type BehaviorOptions,
  Distribution,
  type DistributionProps,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  SecurityPolicyProtocol,
} from 'aws-cdk-lib/aws-cloudfront';
import { CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { Route } from '#core/contracts/route.ts';
import { AliasRecords } from './alias-records.ts';
import { restBehavior, webSocketBehavior } from './api-behaviors.ts';
import { ConsoleFiles } from './console-files.ts';
import { consoleFunctionCode, edgeFunctionCode } from './edge-functions.ts';
import type { CloudFrontSettings, DomainSettings } from './edge-settings.ts';
import { accept } from './findings.ts';
import { nameOfAccount } from './name-of-account.ts';
import { oneAddress } from './one-address.ts';
import { apiStageName } from './surface-api.ts';

type RestSurface = Route['surface'];

interface DistributionsProps {
  /** Name of the deployment. */
  readonly name: string;
  readonly domain: DomainSettings;
  readonly cloudFront: CloudFrontSettings;
  /** Proves to the REST APIs that a call comes from CloudFront. The WebSocket API could not check it. */
  readonly originValue: string;
  /** Ids of the REST APIs that callers can reach, by surface. Omits the admin API if it is private. */
  readonly apis: Readonly<Record<Exclude<RestSurface, 'admin'>, string> & { admin?: string }>;
  readonly webSocketId: string;
  /** Folder with the console's built files. */
  readonly consoleFolder: string;
}

export class Distributions extends Construct {
  readonly #certificate: ICertificate;

  readonly #props: DistributionsProps;

  constructor(scope: Construct, id: string, props: DistributionsProps) {
    super(scope, id);
    this.#props = props;
    const { domain, cloudFront, originValue, webSocketId } = props;
    this.#certificate = Certificate.fromCertificateArn(this, 'Certificate', cloudFront.certificate);
    const forRest = this.#function('Rest', edgeFunctionCode());
    const forWebSocket = this.#function('WebSocket', edgeFunctionCode(`/${apiStageName}`));
    const webSocket = webSocketBehavior(this, webSocketId, cloudFront);
    const apis = Object.fromEntries(
      Object.entries(props.apis).map(([surface, api]) => [surface, restBehavior(this, api, cloudFront, originValue)]),
    ) as Record<RestSurface, BehaviorOptions>;
    const beside: Partial<Record<RestSurface, () => Record<string, BehaviorOptions>>> = {
      gateway: () => ({ '/v1/ws': withEdgeFunction(webSocket, forWebSocket) }),
      admin: () => this.#console(),
    };
    for (const [surface, behavior] of Object.entries(apis) as [RestSurface, BehaviorOptions][])
      this.#distribution(surface, domain.hosts[surface], {
        defaultBehavior: withEdgeFunction(behavior, forRest),
        additionalBehaviors: beside[surface]?.() ?? {},
      });
    const running = (name: string, behavior: BehaviorOptions, code: string) =>
      withEdgeFunction(behavior, this.#function(name, code));
    this.#distribution('edge', domain.edgeHost, oneAddress({ apis, webSocket }, running));
  }

  #distribution(
    name: RestSurface | 'edge',
    host: string,
    behaviors: Pick<DistributionProps, 'defaultBehavior' | 'additionalBehaviors'>,
  ): void {
    const { domain, cloudFront } = this.#props;
    const distribution = new Distribution(this, name, {
      comment: `${this.#props.name}: ${name}`,
      domainNames: [host],
      certificate: this.#certificate,
      httpVersion: HttpVersion.HTTP2_AND_3,
      errorResponses: keptErrors.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
      // Chat services and Git hosts that send callbacks may lack TLS 1.3; all other clients need it.
      minimumProtocolVersion:
        name === 'callbacks' ? SecurityPolicyProtocol.TLS_V1_2_2025 : SecurityPolicyProtocol.TLS_V1_3_2025,
      ...(cloudFront.webAcl && { webAclId: cloudFront.webAcl }),
      ...behaviors,
    });
    new AliasRecords(this, `${name}Records`, {
      hostedZoneId: domain.hostedZoneId,
      host,
      target: () => ({
        dnsName: distribution.distributionDomainName,
        hostedZoneId: CloudFrontTarget.getHostedZoneId(this),
      }),
      types: ['A', 'AAAA'],
    });
    accept(distribution, findings(cloudFront));
  }

  #function(id: string, code: string): EdgeFunction {
    return new EdgeFunction(this, id, {
      functionName: nameOfAccount(this, this.#props.name, id),
      comment: "Passes the caller's address and requested host to the APIs, and routes paths",
      code: FunctionCode.fromInline(code),
      runtime: FunctionRuntime.JS_2_0,
    });
  }

  #console(): Record<string, BehaviorOptions> {
    const { behavior } = new ConsoleFiles(this, 'Console', {
      name: this.#props.name,
      folder: this.#props.consoleFolder,
      edgeFunction: this.#function('ConsolePaths', consoleFunctionCode()),
    });
    return { '/console': behavior, '/console/*': behavior };
  }
}

const withEdgeFunction = (behavior: BehaviorOptions, edgeFunction: EdgeFunction): BehaviorOptions => ({
  ...behavior,
  functionAssociations: [{ function: edgeFunction, eventType: FunctionEventType.VIEWER_REQUEST }],
});

/**
 * Errors that CloudFront caches for ten seconds for all requests with the same path, unless a cache policy prevents it.
 */
const keptErrors = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

const findings = ({ webAcl }: CloudFrontSettings): Record<string, string> => ({
  'AwsSolutions-CFR1':
    'Callers authenticate with keys; an operator can add a rule on the countries that they may call from.',
  ...(!webAcl && {
    'AwsSolutions-CFR2':
      "This stack's web ACL is attached to the REST APIs, where it also checks calls that bypass CloudFront.",
  }),
  'AwsSolutions-CFR3':
    "CloudFront answers no API call from a cache, so the APIs' access logs contain every request that it forwards.",
});
