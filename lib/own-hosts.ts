/**
 * The deployment's own host names on API Gateway, if CloudFront is not used [cloud.own-hosts]. Each surface is at the
 * root of its host, so MCP clients find its discovery metadata.
 */
import {
  BasePathMapping,
  DomainName,
  EndpointAccessMode,
  EndpointType,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { ApiMapping, DomainName as WebSocketDomain, type WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Construct } from 'constructs';
import type { Route } from '#core/contracts/route.ts';
import { AliasRecords } from './alias-records.ts';
import type { DomainSettings } from './edge-settings.ts';
import type { RestSurface } from './rest-surface.ts';

/**
 * Returns the TLS policy. Chat services and Git hosts that send callbacks may lack TLS 1.3; all other clients must
 * support it.
 */
const policyOf = (surface: Route['surface']): SecurityPolicy =>
  surface === 'callbacks' ? SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09 : SecurityPolicy.TLS13_1_3_2025_09;

interface OwnHostsProps {
  readonly domain: DomainSettings;
  readonly surfaces: Readonly<Partial<Record<Route['surface'], RestSurface>>>;
  readonly webSocket: WebSocketStage;
}

export class OwnHosts extends Construct {
  constructor(scope: Construct, id: string, { domain, surfaces, webSocket }: OwnHostsProps) {
    super(scope, id);
    const { hosts, hostedZoneId } = domain;
    const certificate = Certificate.fromCertificateArn(this, 'Certificate', domain.certificate!);
    for (const [name, surface] of Object.entries(surfaces) as [Route['surface'], RestSurface][]) {
      const served = new DomainName(this, name, {
        domainName: hosts[name],
        certificate,
        endpointType: EndpointType.REGIONAL,
        securityPolicy: policyOf(name),
        endpointAccessMode: EndpointAccessMode.STRICT,
      });
      new BasePathMapping(this, `${name}Mapping`, {
        domainName: served,
        restApi: surface.api,
        stage: surface.stage,
      });
      const target = () => ({
        dnsName: served.domainNameAliasDomainName,
        hostedZoneId: served.domainNameAliasHostedZoneId,
      });
      new AliasRecords(this, `${name}Records`, { hostedZoneId, host: hosts[name], target, types: ['A'] });
    }
    // API Gateway supports only TLS 1.2 for WebSockets.
    const served = new WebSocketDomain(this, 'webSocket', { domainName: hosts.webSocket, certificate });
    new ApiMapping(this, 'webSocketMapping', { api: webSocket.api, stage: webSocket, domainName: served });
    const target = () => ({ dnsName: served.regionalDomainName, hostedZoneId: served.regionalHostedZoneId });
    new AliasRecords(this, 'webSocketRecords', { hostedZoneId, host: hosts.webSocket, target, types: ['A'] });
  }
}
